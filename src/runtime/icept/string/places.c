/* places.c: functions of libc that fill places of the program which a row of results.def cannot tell: it
 * depends on the result where they are, or the call is another one's that comes later.
 */
#define HD_KEEP_BUILTINS
#include "runtime/icept/io/io_step.h"
#include "runtime/icept/string/results.h"

#include "runtime/libc/module.h"
#include "runtime/libc/user_mem.h"

#define matters hd_result_matters
#define REAL HD_RESULT_REAL

/* ---- users and groups ---------------------------------------------------------------------- */

/* Their texts are in memory of the caller as well. Of these the name is stated, where it comes first. */
struct entry {
    struct iovec part[3];
    int n;
    u64 site;
};

static bool begin_entry(struct entry *e, void *out, size_t size, void *to, char *text, size_t n, u64 site)
{
    const struct iovec all[] = {{out, size}, {to, sizeof(void *)}, {text, n}};
    e->n = 0;
    e->site = site;
    for (u32 i = 0; i < HD_COUNT(all); i++)
        if (matters(all[i].iov_base))
            e->part[e->n++] = all[i];
    if (e->n)
        hd_fill_keep_iov(e->part, e->n, site);
    return e->n;
}

static void end_entry(struct entry *e, const char *text, const char *name)
{
    size_t bytes = 0;
    struct iovec *last = &e->part[e->n - 1];
    if (last->iov_base == text)
        last->iov_len = name == text ? hd_strlen(name) + 1 : 0;
    for (int i = 0; i < e->n; i++)
        bytes += e->part[i].iov_len;
    hd_fill_state_iov(e->part, e->n, bytes, e->site);
}

#define ENTRY(function, parameters, arguments, name_of)                                            \
    HD_EXPORT int function parameters                                                              \
    {                                                                                              \
        REAL(function);                                                                            \
        struct entry e;                                                                            \
        if (!begin_entry(&e, out, sizeof *out, to, text, n, HD_SITE()))                            \
            return real arguments;                                                                 \
        int r = real arguments;                                                                    \
        if (r == 0 && *to == out)                                                                  \
            end_entry(&e, text, out->name_of);                                                     \
        return r;                                                                                  \
    }
ENTRY(getpwnam_r, (const char *restrict name, struct passwd *restrict out, char *restrict text, size_t n, struct passwd **restrict to),
      (name, out, text, n, to), pw_name)
ENTRY(getpwuid_r, (uid_t id, struct passwd *restrict out, char *restrict text, size_t n, struct passwd **restrict to),
      (id, out, text, n, to), pw_name)
ENTRY(getpwent_r, (struct passwd *restrict out, char *restrict text, size_t n, struct passwd **restrict to),
      (out, text, n, to), pw_name)
ENTRY(getgrnam_r, (const char *restrict name, struct group *restrict out, char *restrict text, size_t n, struct group **restrict to),
      (name, out, text, n, to), gr_name)
ENTRY(getgrgid_r, (gid_t id, struct group *restrict out, char *restrict text, size_t n, struct group **restrict to),
      (id, out, text, n, to), gr_name)

/* ---- memory of processes --------------------------------------------------------------------- */

HD_EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from,
                                   unsigned long m, unsigned long flags)
{
    REAL(process_vm_readv);
    if (!hd_on() || !n || n > IOV_MAX || !hd_user_can_read(to, n * sizeof *to))
        return real(pid, to, n, from, m, flags);
    u64 site = HD_SITE();
    hd_fill_keep_iov(to, (int)n, site);
    ssize_t r = real(pid, to, n, from, m, flags);
    if (r > 0)
        hd_fill_state_iov(to, (int)n, (size_t)r, site);
    return r;
}

/* ---- stacks ------------------------------------------------------------------------------------ */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* Without our own frames: the program looks at its first one. Handlers have small stacks. */
enum { OURS = 4, MOST = 128 };

static __attribute__((noinline)) int state_stack(int (*real)(void **, int), void **out, int n, u64 site)
{
    void *all[MOST + OURS];
    int got = real(all, n + OURS), skip = 0;
    while (skip < OURS && skip < got && (u64)all[skip] - (u64)__ehdr_start < (u64)(_end - __ehdr_start))
        skip++;
    got = HD_MIN(HD_MAX(got - skip, 0), n);
    hd_writes(out, (size_t)got * sizeof *out, site);
    hd_memcpy(out, all + skip, (size_t)got * sizeof *out);
    return got;
}

HD_EXPORT int backtrace(void **out, int n)
{
    REAL(backtrace);
    if (!matters(out) || n <= 0 || n > MOST)
        return real(out, n); /* a jump: no frame of ours */
    return state_stack(real, out, n, HD_SITE());
}

/* ---- paths --------------------------------------------------------------------------------------- */

HD_EXPORT DIR *opendir(const char *path)
{
    REAL(opendir);
    if (hd_on())
        hd_io_look(-1, HD_SITE());
    DIR *d = real(path); /* from here on: the path can be read, unless it is said */
    int err = errno;
    if (matters(path) && (d || err != EFAULT))
        hd_reads(path, hd_strlen(path) + 1, HD_SITE());
    errno = err;
    return d;
}

/* ---- the sign of lgamma ---------------------------------------------------------------------------- */

extern int signgam __attribute__((weak));

/* Who does not look at it is not concerned: it is libm's then. */
static bool is_of_program(const void *at)
{
    const struct hd_module *m = hd_shm_modules(hd_rt.run);
    return hd_rt.run->n_modules && (u64)at - m->start < m->end - m->start;
}

#define LGAMMA(name, type)                                                                         \
    HD_EXPORT type name(type x)                                                                    \
    {                                                                                              \
        REAL(name);                                                                                \
        if (hd_on() && is_of_program(&signgam))                                                    \
            hd_writes(&signgam, sizeof signgam, HD_SITE());                                        \
        return real(x);                                                                            \
    }
LGAMMA(lgamma, double)
LGAMMA(lgammaf, float)
LGAMMA(lgammal, long double)

/* ---- streams in memory ------------------------------------------------------------------------------ */

#define STREAMS 64 /* at a time; of further ones nothing is stated */

static struct {
    FILE *f;
    char **text;
    size_t *n;
} stream[STREAMS];
static u32 n_streams; /* places that were ever in use */

HD_EXPORT FILE *open_memstream(char **text, size_t *n)
{
    REAL(open_memstream);
    FILE *f = real(text, n);
    for (u32 i = 0; f && hd_on() && i < STREAMS; i++)
        if (!stream[i].f) {
            stream[i].f = f;
            stream[i].text = text;
            stream[i].n = n;
            n_streams = HD_MAX(n_streams, i + 1);
            break;
        }
    return f;
}

void hd_memstream_write(FILE *f, bool is_last, u64 site)
{
    for (u32 i = 0; f && i < n_streams; i++)
        if (stream[i].f == f) {
            if (is_last)
                stream[i].f = NULL;
            if (!hd_on())
                return;
            hd_writes(stream[i].text, sizeof *stream[i].text, site);
            hd_writes(stream[i].n, sizeof *stream[i].n, site);
            return;
        }
}
