/* func.c: function entry and exit: the shadow stack. It lives in shared
 * memory, so that the host can print every thread's stack whatever happened.
 *
 * Frames left by longjmp or a forced unwind never see their exit hook; they
 * are dropped at the next entry, which finds them below its own stack pointer.
 */
#include "runtime/core/rt.h"

HD_EXPORT void __tsan_func_entry(void *pc);
HD_EXPORT void __tsan_func_entry(void *pc)
{
    struct hd_shm_thread *info = hd_tls.info;
    if (HD_UNLIKELY(!info))
        return;
    u64 sp = (u64)__builtin_frame_address(0);
    u32 depth = info->depth;
    while (HD_UNLIKELY(depth && depth <= HD_SHM_FRAMES && hd_tls.frames[depth - 1].sp <= sp))
        depth--;
    if (HD_LIKELY(depth < HD_SHM_FRAMES))
        hd_tls.frames[depth] = (struct hd_frame){(u64)pc, sp};
    info->depth = depth + 1;
}

HD_EXPORT void __tsan_func_exit(void);
HD_EXPORT void __tsan_func_exit(void)
{
    struct hd_shm_thread *info = hd_tls.info;
    if (HD_LIKELY(info && info->depth))
        info->depth--;
}

HD_EXPORT void __tsan_ignore_thread_begin(void);
HD_EXPORT void __tsan_ignore_thread_begin(void) { hd_tls.ignore++; }

HD_EXPORT void __tsan_ignore_thread_end(void);
HD_EXPORT void __tsan_ignore_thread_end(void) { hd_tls.ignore--; }
