/* func.c: function entry and exit: the shadow stack. It lives in shared
 * memory, so that the host can print every thread's stack whatever happened.
 *
 * Frames left by longjmp or a forced unwind never see their exit hook; they
 * are dropped at the next entry, which finds them below its own stack pointer.
 */
#include "runtime/filter/pass.h"
#include "runtime/filter/patch.h"

HD_EXPORT HD_PATCHABLE void __tsan_func_entry(void *pc);
HD_EXPORT void __tsan_func_entry(void *pc)
{
    struct hd_frame *frames = hd_tls.frames;
    if (HD_UNLIKELY(!frames)) {
        if (hd_pass_is_on && hd_tls.info)
            hd_pass_at(HD_SITE());
        return;
    }
    struct hd_shm_thread *info = hd_tls.info;
    u64 sp = (u64)__builtin_frame_address(0);
    u32 depth = info->depth;
    while (HD_UNLIKELY(depth && depth <= HD_SHM_FRAMES && frames[depth - 1].sp <= sp))
        depth--;
    if (HD_LIKELY(depth < HD_SHM_FRAMES))
        frames[depth] = (struct hd_frame){(u64)pc, sp};
    info->depth = depth + 1;
}

HD_EXPORT HD_PATCHABLE void __tsan_func_exit(void);
HD_EXPORT void __tsan_func_exit(void)
{
    struct hd_shm_thread *info = hd_tls.info;
    if (HD_LIKELY(info && info->depth))
        info->depth--;
    else if (HD_UNLIKELY(info && hd_pass_is_on))
        hd_pass_at(HD_SITE());
}

HD_EXPORT void __tsan_ignore_thread_begin(void);
HD_EXPORT void __tsan_ignore_thread_begin(void) { hd_tls.ignore++; }

HD_EXPORT void __tsan_ignore_thread_end(void);
HD_EXPORT void __tsan_ignore_thread_end(void) { hd_tls.ignore--; }
