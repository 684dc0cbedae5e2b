/* unsafe.h: what signal handlers must not do. POSIX: if a signal interrupts a function that is not
 * async-signal-safe, and its handler calls one, the behaviour is undefined; and a handler leaves
 * errno as it was, since the code it interrupts may be about to look at it. Looked at are functions
 * that share state inside of libc: of the heap, of streams, exit(). (A handler that waits for a
 * lock of its own thread is a deadlock.)
 *
 * Every run notes handlers that do so (notes.h). In runs that check it (HD_MODE_CHECK_CALLS, _ERRNO)
 * calls of such functions are scheduling points, so that signals come there, and what is seen to
 * happen ends the run. Signals that a thread sends itself, or lets through, are no interruption.
 */
#ifndef HD_UNSAFE_H
#define HD_UNSAFE_H

#include "runtime/icept/signal/signals.h"

/* The program has handlers. */
extern HD_HIDDEN bool hd_unsafe_on;

HD_COLD void hd_unsafe_enter(const char *name, u64 site);
/* An interceptor of a function that is not async-signal-safe begins. Only in the exported function
 * itself. */
#define HD_UNSAFE()                                                                                \
    do {                                                                                           \
        if (HD_UNLIKELY(hd_unsafe_on))                                                             \
            hd_unsafe_enter(__func__, HD_SITE());                                                  \
    } while (0)

/* The same for C++'s operators, whose names are no names of functions. */
#define HD_UNSAFE_OPERATOR(name)                                                                   \
    do {                                                                                           \
        if (HD_UNLIKELY(hd_unsafe_on))                                                             \
            hd_unsafe_enter(name, HD_SITE());                                                      \
    } while (0)

/* The handler at `handler` has returned, and errno was `before`. */
HD_COLD void hd_unsafe_errno(const struct hd_interrupted *by, u64 handler, int before);

#endif
