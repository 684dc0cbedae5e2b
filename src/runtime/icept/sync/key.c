/* key.c: pthread keys, modelled, so that their destructors run under the
 * baton and the thread's EXIT comes after all of them. libc knows one key only:
 * ours, whose destructor is the last thing of every thread that is the
 * program's own.
 *
 *   start routine returns -> thread_local destructors (libc)
 *     -> thread_end: the program's key destructors, up to 4 rounds -> EXIT
 *
 * The model stays in force in forked children too: values must not be lost. Keys made before
 * the program came under control (a forked child that makes threads) stay libc's.
 */
#include "runtime/icept/sync/key.h"

#include "runtime/core/gate.h"
#include "runtime/libc/sys.h"

#define KEYS PTHREAD_KEYS_MAX

static struct {
    bool is_used, is_real;
    u32 generation; /* values of a deleted key are not seen by its successor */
    void (*destroy)(void *);
} key[KEYS];

struct value {
    void *data;
    u32 generation;
};

static bool is_modelled;
static pthread_key_t end_key;
static __thread struct value *values __attribute__((tls_model("initial-exec")));

static void run_destructors(void)
{
    for (int round = 0; values && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        bool found = false;
        for (u32 k = 0; k < KEYS; k++) {
            struct value v = values[k];
            if (!v.data || !key[k].is_used || v.generation != key[k].generation)
                continue;
            values[k].data = NULL;
            if (!key[k].destroy)
                continue;
            found = true;
            key[k].destroy(v.data);
        }
        if (!found)
            break;
    }
}

static void thread_end(void *unused)
{
    run_destructors();
    if (values) {
        hd_sys(SYS_munmap, values, sizeof(struct value) * KEYS);
        values = NULL;
    }
    if (hd_on())
        hd_gate_exit();
}

void hd_key_init(void)
{
    is_modelled = true;
    if (HD_REAL(pthread_key_create)(&end_key, thread_end))
        HD_BUG("no key left for the runtime");
    hd_key_thread_begin();
}

void hd_key_thread_begin(void) { HD_REAL(pthread_setspecific)(end_key, &end_key); }

HD_EXPORT int pthread_key_create(pthread_key_t *k, void (*destroy)(void *))
{
    if (!is_modelled) {
        int err = HD_REAL(pthread_key_create)(k, destroy);
        if (!err && *k < KEYS)
            key[*k].is_real = true;
        return err;
    }
    for (u32 i = 0; i < KEYS; i++) {
        if (key[i].is_used || key[i].is_real)
            continue;
        key[i].is_used = true;
        key[i].generation++;
        key[i].destroy = destroy;
        *k = i;
        return 0;
    }
    return EAGAIN;
}

HD_EXPORT int __pthread_key_create(pthread_key_t *k, void (*destroy)(void *));
HD_EXPORT int __pthread_key_create(pthread_key_t *k, void (*destroy)(void *))
{
    return pthread_key_create(k, destroy);
}

HD_INLINE bool is_real(pthread_key_t k) { return !is_modelled || (k < KEYS && key[k].is_real); }

HD_EXPORT int pthread_key_delete(pthread_key_t k)
{
    if (is_real(k)) {
        if (k < KEYS)
            key[k].is_real = false;
        return HD_REAL(pthread_key_delete)(k);
    }
    if (k >= KEYS || !key[k].is_used)
        return EINVAL;
    key[k].is_used = false;
    return 0;
}

HD_EXPORT void *pthread_getspecific(pthread_key_t k)
{
    if (is_real(k))
        return HD_REAL(pthread_getspecific)(k);
    if (!values || k >= KEYS || values[k].generation != key[k].generation)
        return NULL;
    return values[k].data;
}

HD_EXPORT int pthread_setspecific(pthread_key_t k, const void *data)
{
    if (is_real(k))
        return HD_REAL(pthread_setspecific)(k, data);
    if (k >= KEYS || !key[k].is_used)
        return EINVAL;
    if (!values) {
        long at = hd_sys(SYS_mmap, 0, sizeof(struct value) * KEYS, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at < 0 && at > -4096)
            return ENOMEM;
        values = (struct value *)at;
        hd_key_thread_begin();
    }
    values[k] = (struct value){(void *)data, key[k].generation};
    return 0;
}

HD_EXPORT int tss_create(tss_t *k, tss_dtor_t destroy)
{
    return pthread_key_create(k, destroy) ? thrd_error : thrd_success;
}

HD_EXPORT void tss_delete(tss_t k) { pthread_key_delete(k); }
HD_EXPORT void *tss_get(tss_t k) { return pthread_getspecific(k); }

HD_EXPORT int tss_set(tss_t k, void *data)
{
    return pthread_setspecific(k, data) ? thrd_error : thrd_success;
}
