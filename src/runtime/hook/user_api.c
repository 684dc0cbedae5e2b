/* user_api.c: the runtime's side of include/heddle/heddle.h. */
#include "runtime/core/rt.h"
#include "runtime/heap/heap.h"

HD_EXPORT void __heddle_check_failed(const char *text, const char *file, int line);
HD_EXPORT void __heddle_check_failed(const char *text, const char *file, int line)
{
    if (!hd_on())
        return;
    hd_rt.run->verdict.pc = HD_SITE();
    hd_die(HD_V_CHECK, text);
}

HD_EXPORT void __heddle_point(const void *object);
HD_EXPORT void __heddle_point(const void *object)
{
    if (hd_on())
        hd_gate_obj(HD_EV_ARMW, HD_SITE(), object, 0);
}

HD_EXPORT void __heddle_atomic(int is_begin);
HD_EXPORT void __heddle_atomic(int is_begin)
{
    if (hd_on())
        hd_note(is_begin ? HD_EV_ATOMIC_BEGIN : HD_EV_ATOMIC_END, HD_SITE(), 0, 0);
}

HD_EXPORT int __heddle_is_on(void);
HD_EXPORT int __heddle_is_on(void) { return hd_rt.is_on; }

/* The number of the run, which a replay keeps: what a harness chooses its calls by. */
HD_EXPORT unsigned long long __heddle_run(void);
HD_EXPORT unsigned long long __heddle_run(void) { return hd_rt.server ? hd_rt.server->run : 0; }

/* For programs of generated tests: bytes that can be read from p on, in a live block of the heap or
 * in a loaded object; 0 = it is freed, or not known what it is. */
HD_EXPORT size_t __heddle_readable(const void *p);
HD_EXPORT size_t __heddle_readable(const void *p)
{
    struct hd_heap_block b;
    u64 at = (u64)p;
    if (hd_heap_find(at, &b))
        return b.state == HD_BLOCK_LIVE ? b.start + b.size - at : 0;
    const struct hd_module *m = hd_shm_modules(hd_rt.run);
    for (u32 i = 0; i < hd_rt.run->n_modules; i++)
        if (at >= m[i].start && at < m[i].end)
            return m[i].end - at;
    return 0;
}
