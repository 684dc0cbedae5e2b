/* annotate.c: annotations a program makes for race detectors: the Annotate*
 * family of old, and the functions of <sanitizer/tsan_interface.h>. Order and
 * custom locks become events (notes, never scheduling points: the atomics they
 * are made of are); the rest has no meaning here and does nothing.
 */
#include "runtime/heap/heap.h"
#include "runtime/filter/shadow.h"
#include "runtime/libc/sys.h"

static void note(u8 kind, const volatile void *obj, u64 site)
{
    if (hd_on())
        hd_note(kind, site, (u64)obj, 0);
}

static void note_benign(u64 addr, u64 size, u64 site)
{
    if (hd_on())
        hd_note(HD_EV_BENIGN, site, addr, HD_MIN(size, (u64)UINT32_MAX));
}

/* ---- dynamic annotations: (file, line, what...) --------------------------------- */

#define ANNOTATION(name, ...)                                                                      \
    HD_EXPORT void name(const char *file, int line, ##__VA_ARGS__);                                \
    HD_EXPORT void name(const char *file, int line, ##__VA_ARGS__)
#define NOTHING(name)                                                                              \
    HD_EXPORT void name(void);                                                                     \
    HD_EXPORT void name(void) {}

ANNOTATION(AnnotateHappensBefore, u64 obj) { note(HD_EV_HB_RELEASE, (void *)obj, HD_SITE()); }
ANNOTATION(AnnotateHappensAfter, u64 obj) { note(HD_EV_HB_ACQUIRE, (void *)obj, HD_SITE()); }
ANNOTATION(WTFAnnotateHappensBefore, u64 obj) { note(HD_EV_HB_RELEASE, (void *)obj, HD_SITE()); }
ANNOTATION(WTFAnnotateHappensAfter, u64 obj) { note(HD_EV_HB_ACQUIRE, (void *)obj, HD_SITE()); }

ANNOTATION(AnnotateRWLockAcquired, u64 lock, u64 is_write)
{
    note(is_write ? HD_EV_LOCK : HD_EV_RDLOCK, (void *)lock, HD_SITE());
}

ANNOTATION(AnnotateRWLockReleased, u64 lock, u64 is_write)
{
    note(is_write ? HD_EV_UNLOCK : HD_EV_RW_UNLOCK, (void *)lock, HD_SITE());
}

ANNOTATION(AnnotateIgnoreReadsBegin) { hd_tls.ignore++; }
ANNOTATION(AnnotateIgnoreReadsEnd) { hd_tls.ignore--; }
ANNOTATION(AnnotateIgnoreWritesBegin) { hd_tls.ignore++; }
ANNOTATION(AnnotateIgnoreWritesEnd) { hd_tls.ignore--; }

/* A program's own allocator gives memory out: former users do not count. */
ANNOTATION(AnnotateNewMemory, u64 addr, u64 size)
{
    if (hd_on())
        hd_shadow_clear(addr, size);
}

ANNOTATION(AnnotateThreadName, const char *name)
{
    if (!hd_on())
        return;
    char *to = hd_tls.info->name;
    size_t n = HD_MIN(hd_strlen(name), sizeof hd_tls.info->name - 1);
    hd_memcpy(to, name, n);
    to[n] = 0;
}

ANNOTATION(AnnotateBenignRace, u64 addr, const char *why) { note_benign(addr, 1, HD_SITE()); }
ANNOTATION(AnnotateBenignRaceSized, u64 addr, u64 size, const char *why)
{
    note_benign(addr, size, HD_SITE());
}
ANNOTATION(WTFAnnotateBenignRaceSized, u64 addr, u64 size, const char *why)
{
    note_benign(addr, size, HD_SITE());
}
NOTHING(AnnotateCondVarSignal) /* the real condition variable is modelled */
NOTHING(AnnotateCondVarSignalAll)
NOTHING(AnnotateCondVarWait)
NOTHING(AnnotateEnableRaceDetection)
NOTHING(AnnotateExpectRace)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotateMemoryIsInitialized)
NOTHING(AnnotateMemoryIsUninitialized)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotateNoOp)
NOTHING(AnnotatePCQCreate)
NOTHING(AnnotatePCQDestroy)
NOTHING(AnnotatePCQGet)
NOTHING(AnnotatePCQPut)
NOTHING(AnnotatePublishMemoryRange)
NOTHING(AnnotateUnpublishMemoryRange)
NOTHING(AnnotateRWLockCreate)
NOTHING(AnnotateRWLockCreateStatic)
NOTHING(AnnotateRWLockDestroy)
NOTHING(AnnotateTraceMemory)

HD_EXPORT int RunningOnValgrind(void);
HD_EXPORT int RunningOnValgrind(void) { return 0; }

/* Programs stretch their timeouts by this; ours are virtual. */
HD_EXPORT double ValgrindSlowdown(void);
HD_EXPORT double ValgrindSlowdown(void) { return 1.0; }

HD_EXPORT const char *ThreadSanitizerQuery(const char *query);
HD_EXPORT const char *ThreadSanitizerQuery(const char *query)
{
    return hd_strcmp(query, "pure_happens_before") ? "0" : "1";
}

/* ---- order ----------------------------------------------------------------------- */

#define ON_ADDRESS(name, kind)                                                                     \
    HD_EXPORT void name(void *addr);                                                               \
    HD_EXPORT void name(void *addr) { note(kind, addr, HD_SITE()); }

ON_ADDRESS(__tsan_acquire, HD_EV_HB_ACQUIRE)
ON_ADDRESS(__tsan_release, HD_EV_HB_RELEASE)
ON_ADDRESS(__tsan_java_acquire, HD_EV_HB_ACQUIRE)
ON_ADDRESS(__tsan_java_release, HD_EV_HB_RELEASE)
ON_ADDRESS(__tsan_java_release_store, HD_EV_HB_RELEASE)

/* ---- locks of the program's own make ------------------------------------------------ */

enum { MUTEX_READ = 1 << 3, MUTEX_TRY_FAILED = 1 << 5 }; /* flags of tsan_interface.h */

HD_EXPORT void __tsan_mutex_create(void *m, unsigned flags);
HD_EXPORT void __tsan_mutex_create(void *m, unsigned flags)
{
    note(HD_EV_MUTEX_INIT, m, HD_SITE());
}

HD_EXPORT void __tsan_mutex_destroy(void *m, unsigned flags);
HD_EXPORT void __tsan_mutex_destroy(void *m, unsigned flags)
{
    note(HD_EV_MUTEX_DESTROY, m, HD_SITE());
}

HD_EXPORT void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
HD_EXPORT void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion)
{
    if (!(flags & MUTEX_TRY_FAILED))
        note(flags & MUTEX_READ ? HD_EV_RDLOCK : HD_EV_LOCK, m, HD_SITE());
}

/* Before, not after: the next owner may be there before the annotation. */
HD_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags);
HD_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags)
{
    note(flags & MUTEX_READ ? HD_EV_RW_UNLOCK : HD_EV_UNLOCK, m, HD_SITE());
    return 1; /* recursion depth to restore */
}

NOTHING(__tsan_mutex_pre_lock)
NOTHING(__tsan_mutex_post_unlock)
NOTHING(__tsan_mutex_pre_signal)
NOTHING(__tsan_mutex_post_signal)
NOTHING(__tsan_mutex_pre_divert)
NOTHING(__tsan_mutex_post_divert)

/* ---- Java --------------------------------------------------------------------------- */

ON_ADDRESS(__tsan_java_mutex_lock, HD_EV_LOCK)
ON_ADDRESS(__tsan_java_mutex_unlock, HD_EV_UNLOCK)
ON_ADDRESS(__tsan_java_mutex_read_lock, HD_EV_RDLOCK)
ON_ADDRESS(__tsan_java_mutex_read_unlock, HD_EV_RW_UNLOCK)
ON_ADDRESS(__tsan_java_mutex_lock_rec, HD_EV_LOCK)

HD_EXPORT int __tsan_java_mutex_unlock_rec(void *m);
HD_EXPORT int __tsan_java_mutex_unlock_rec(void *m)
{
    note(HD_EV_UNLOCK, m, HD_SITE());
    return 1;
}

HD_EXPORT void __tsan_java_alloc(u64 addr, u64 size);
HD_EXPORT void __tsan_java_alloc(u64 addr, u64 size)
{
    if (hd_on())
        hd_shadow_clear(addr, size);
}

HD_EXPORT void __tsan_java_move(u64 from, u64 to, u64 size);
HD_EXPORT void __tsan_java_move(u64 from, u64 to, u64 size)
{
    if (hd_on())
        hd_shadow_clear(to, size);
}

HD_EXPORT int __tsan_java_fini(void);
HD_EXPORT int __tsan_java_fini(void) { return 0; }
HD_EXPORT u64 __tsan_java_find(u64 *from, u64 to);
HD_EXPORT u64 __tsan_java_find(u64 *from, u64 to) { return 0; }
NOTHING(__tsan_java_init)
NOTHING(__tsan_java_free)
NOTHING(__tsan_java_finalize)

/* ---- objects of libraries that are not instrumented ------------------------------------ */

HD_EXPORT void *__tsan_external_register_tag(const char *type);
HD_EXPORT void *__tsan_external_register_tag(const char *type) { return (void *)type; }

HD_EXPORT void __tsan_external_read(void *addr, void *pc, void *tag);
HD_EXPORT void __tsan_external_read(void *addr, void *pc, void *tag)
{
    if (hd_on())
        hd_access(addr, 1, false, (u64)pc);
}

HD_EXPORT void __tsan_external_write(void *addr, void *pc, void *tag);
HD_EXPORT void __tsan_external_write(void *addr, void *pc, void *tag)
{
    if (hd_on())
        hd_access(addr, 1, true, (u64)pc);
}

NOTHING(__tsan_external_register_header)
NOTHING(__tsan_external_assign_tag)

/* ---- fibers: threads we do not schedule ---------------------------------------------- */

static void fibers_seen(const char *call)
{
    if (hd_on())
        hd_uncontrolled(HD_UNC_UNREGISTERED, call);
}

/* Handles only need to differ from each other and from NULL. */
HD_EXPORT void *__tsan_get_current_fiber(void);
HD_EXPORT void *__tsan_get_current_fiber(void) { return &hd_tls; }

HD_EXPORT void *__tsan_create_fiber(unsigned flags);
HD_EXPORT void *__tsan_create_fiber(unsigned flags)
{
    static u64 n;
    fibers_seen("__tsan_create_fiber");
    return (void *)__atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);
}

HD_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags);
HD_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    fibers_seen("__tsan_switch_to_fiber");
}

NOTHING(__tsan_destroy_fiber)
NOTHING(__tsan_set_fiber_name)

/* ---- the barrier of TSan's own tests ---------------------------------------------------
 * The word holds the number of threads (low half) and of arrivals (high half). */

HD_EXPORT void __tsan_testonly_barrier_init(u64 *b, u32 count);
HD_EXPORT void __tsan_testonly_barrier_init(u64 *b, u32 count)
{
    *b = count;
    if (hd_on())
        hd_gate_obj(HD_EV_BARRIER_INIT, HD_SITE(), b, count);
}

HD_EXPORT void __tsan_testonly_barrier_wait(u64 *b);
HD_EXPORT void __tsan_testonly_barrier_wait(u64 *b)
{
    u32 count = (u32)*b;
    if (hd_on()) {
        hd_gate_obj(HD_EV_BARRIER_WAIT, HD_SITE(), b, count);
        return;
    }
    u64 round = (__atomic_fetch_add(b, (u64)1 << 32, __ATOMIC_SEQ_CST) >> 32) / count;
    while ((__atomic_load_n(b, __ATOMIC_SEQ_CST) >> 32) / count == round)
        hd_sys(SYS_sched_yield, 0);
}
