/* exit.c: the end of the process. Other threads go on while it lasts:
 * there is a scheduling point (HD_EV_END, see sched/end.c) when exit or quick_exit begins,
 * and one after the last of the program's own handlers, so that what still runs can meet
 * what is torn down. _exit has no handlers, so one point.
 */
#include "runtime/core/rt.h"

#include "runtime/icept/process/exit.h"
#include "runtime/icept/signal/unsafe.h"
#include "runtime/heap/final.h"
#include "runtime/heap/heap.h"
#include "runtime/core/notes.h"
#include "runtime/core/verdict.h"

static void end_point(u64 site, bool is_last)
{
    if (hd_on())
        hd_gate_obj(HD_EV_END, site, NULL, is_last ? HD_END_LAST : 0);
}

static void take_memory(void)
{
    if (hd_on() && hd_rt.server->cfg.mode & HD_MODE_FINAL)
        hd_final_take();
}

static void last_handler(int status, void *arg)
{
    end_point(0, true);
    hd_heap_verify();
    take_memory();
    if (hd_on())
        hd_notes_at_end(); /* not earlier: handlers and destructors may join */
}

static void last_quick_handler(void *arg)
{
    end_point(0, true);
    take_memory();
}

/* at_quick_exit is in the static part of libc. */
int __cxa_at_quick_exit(void (*fn)(void *), void *dso);

/* Registered before anything else, hence run last. */
void hd_exit_init(void)
{
    HD_REAL(on_exit)(last_handler, NULL);
    __cxa_at_quick_exit(last_quick_handler, NULL);
}

_Noreturn void hd_exit(int status, u64 site)
{
    end_point(site, false);
    if (hd_on())
        hd_verdict_exit(site);
    HD_REAL(exit)(status);
    __builtin_unreachable();
}

HD_EXPORT _Noreturn void exit(int status)
{
    HD_UNSAFE();
    hd_exit(status, HD_SITE());
}

HD_EXPORT _Noreturn void quick_exit(int status)
{
    end_point(HD_SITE(), false);
    if (hd_on())
        hd_verdict_exit(HD_SITE());
    HD_REAL(quick_exit)(status);
    __builtin_unreachable();
}

HD_EXPORT _Noreturn void _exit(int status)
{
    end_point(HD_SITE(), true);
    if (hd_on())
        hd_verdict_exit(HD_SITE());
    take_memory();
    HD_REAL(_exit)(status);
    __builtin_unreachable();
}
HD_EXPORT __attribute__((alias("_exit"))) _Noreturn void _Exit(int status);
