/* affinity.c: which processors threads may use. The host pins the target
 * to one, because only one thread runs at a time; the program must not notice,
 * nor undo it. So its wishes are remembered and answered, not carried out.
 */
#include "runtime/core/gate.h"
#include "runtime/icept/string/string_access.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"

static cpu_set_t wish[HD_MAX_THREADS];
static u64 has_wish[HD_BITS_WORDS(HD_MAX_THREADS)];

static const cpu_set_t *mask_of(u16 t)
{
    return hd_bit_is_set(has_wish, t) ? &wish[t] : &hd_original_affinity;
}

/* 0 or an errno. */
static int get_mask(u16 t, size_t size, cpu_set_t *out, u64 site)
{
    const u8 *from = (const u8 *)mask_of(t);
    for (size_t i = size; i < sizeof(cpu_set_t); i++)
        if (from[i])
            return EINVAL; /* does not fit */
    hd_writes(out, size, site);
    hd_memset(out, 0, size);
    hd_memcpy(out, from, HD_MIN(size, sizeof(cpu_set_t)));
    return 0;
}

static int set_mask(u16 t, size_t size, const cpu_set_t *set)
{
    cpu_set_t both;
    const u8 *a = (const u8 *)set, *b = (const u8 *)&hd_original_affinity;
    bool any = false;
    hd_memset(&both, 0, sizeof both);
    for (size_t i = 0; i < HD_MIN(size, sizeof both); i++)
        any |= (((u8 *)&both)[i] = a[i] & b[i]) != 0;
    if (!any)
        return EINVAL;
    wish[t] = both;
    hd_bit_set(has_wish, t);
    return 0;
}

void hd_affinity_inherit(u16 t, u16 parent, const pthread_attr_t *attr)
{
    cpu_set_t set, all;
    hd_memset(&all, 0xff, sizeof all); /* what attributes without a mask answer */
    hd_bit_clear(has_wish, t);
    if (attr && !pthread_attr_getaffinity_np(attr, sizeof set, &set) && !CPU_EQUAL(&set, &all))
        set_mask(t, sizeof set, &set);
    else if (hd_bit_is_set(has_wish, parent))
        set_mask(t, sizeof set, &wish[parent]);
}

/* The thread of a kernel number (0: the caller), or HD_NO_THREAD. */
static u16 thread_of(pid_t pid)
{
    if (pid == 0)
        return hd_tls.tid;
    for (u32 t = hd_rt.sched.n_threads; t-- > 0;)
        if (hd_thread[t].kernel_tid == pid)
            return (u16)t;
    return HD_NO_THREAD;
}

HD_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *out)
{
    u16 t = hd_on() ? thread_of(pid) : HD_NO_THREAD;
    if (t == HD_NO_THREAD)
        return HD_REAL(sched_getaffinity)(pid, size, out);
    int err = get_mask(t, size, out, HD_SITE());
    return err ? (int)hd_fail(err) : 0;
}

HD_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    u16 t = hd_on() ? thread_of(pid) : HD_NO_THREAD;
    if (t == HD_NO_THREAD)
        return HD_REAL(sched_setaffinity)(pid, size, set);
    int err = set_mask(t, size, set);
    return err ? (int)hd_fail(err) : 0;
}

HD_EXPORT int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *out)
{
    if (!hd_on())
        return HD_REAL(pthread_getaffinity_np)(handle, size, out);
    u16 t = handle == pthread_self() ? hd_tls.tid : hd_thread_find(handle);
    return t == HD_NO_THREAD ? ESRCH : get_mask(t, size, out, HD_SITE());
}

HD_EXPORT int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *set)
{
    if (!hd_on())
        return HD_REAL(pthread_setaffinity_np)(handle, size, set);
    u16 t = handle == pthread_self() ? hd_tls.tid : hd_thread_find(handle);
    return t == HD_NO_THREAD ? ESRCH : set_mask(t, size, set);
}

HD_EXPORT int sched_getcpu(void)
{
    if (!hd_on())
        return HD_REAL(sched_getcpu)();
    const u64 *w = (const u64 *)mask_of(hd_tls.tid); /* one it may be on, always the same */
    for (u32 i = 0; i < sizeof(cpu_set_t) / 8; i++)
        if (w[i])
            return (int)(i * 64 + (u32)__builtin_ctzll(w[i]));
    return 0;
}

/* ---- how many there are ------------------------------------------------------- */

HD_EXPORT int get_nprocs(void)
{
    return hd_on() && hd_rt.host->cpus_online ? (int)hd_rt.host->cpus_online : HD_REAL(get_nprocs)();
}

HD_EXPORT int get_nprocs_conf(void)
{
    return hd_on() && hd_rt.host->cpus_configured ? (int)hd_rt.host->cpus_configured
                                                 : HD_REAL(get_nprocs_conf)();
}

HD_EXPORT long sysconf(int name)
{
    if (name == _SC_NPROCESSORS_ONLN)
        return get_nprocs();
    if (name == _SC_NPROCESSORS_CONF)
        return get_nprocs_conf();
    return HD_REAL(sysconf)(name);
}
