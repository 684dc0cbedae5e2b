/* heddle.h: what a program may say to Heddle. Whole tests of one object, see
 * harness.h.
 *
 * Everything here costs nothing and does nothing when the program runs without
 * Heddle: the functions are weak references, resolved only if the runtime is
 * there. No library to link.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's side; do not call directly. */
__attribute__((weak)) void __heddle_check_failed(const char *text, const char *file, int line);
__attribute__((weak)) void __heddle_point(const void *object);
__attribute__((weak)) void __heddle_atomic(int is_begin);
__attribute__((weak)) int __heddle_is_on(void);
__attribute__((weak)) unsigned long long __heddle_run(void);
__attribute__((weak)) int __heddle_attempt(void (*fn)(void *), void *arg);

/* A condition that must hold: if not, the run is a finding with this text. */
#define heddle_check(cond, text)                                                                   \
    do {                                                                                           \
        if (__heddle_check_failed && !(cond))                                                      \
            __heddle_check_failed((text), __FILE__, __LINE__);                                     \
    } while (0)

/* An extra scheduling point, as if `object` were accessed here. */
#define heddle_point(object)                                                                       \
    do {                                                                                           \
        if (__heddle_point)                                                                        \
            __heddle_point(object);                                                                \
    } while (0)

/* What this thread does in between must look to the others as if it were done at once: if another
 * thread gets in between, that is a finding by itself, whatever comes of it. */
#define heddle_atomic_begin()                                                                      \
    do {                                                                                           \
        if (__heddle_atomic)                                                                       \
            __heddle_atomic(1);                                                                    \
    } while (0)
#define heddle_atomic_end()                                                                        \
    do {                                                                                           \
        if (__heddle_atomic)                                                                       \
            __heddle_atomic(0);                                                                    \
    } while (0)

/* Is this run under Heddle's control? */
static inline int heddle_is_on(void) { return __heddle_is_on ? __heddle_is_on() : 0; }

#ifdef __cplusplus
}
#endif

#include <heddle/harness.h> /* HEDDLE_OBJECT, HEDDLE_OP, HEDDLE_LINEARIZABLE, HEDDLE_SPEC */

#endif
