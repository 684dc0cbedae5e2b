/* libc_lock.h: locks inside libc that are held while code of the program runs:
 * that of a stream (flockfile, callbacks of fopencookie), that of the loader
 * (constructors, callbacks of dl_iterate_phdr). A thread that holds the baton must
 * not block on one whose holder waits for its turn, so these locks are modelled,
 * as recursive mutexes, and whoever would have to wait waits for the model.
 *
 * A lock is modelled only while somebody's own code runs under it: a call that
 * finds the model free takes the real one alone, without a step.
 */
#ifndef HD_LIBC_LOCK_H
#define HD_LIBC_LOCK_H

#include "runtime/icept/signal/unsafe.h"

/* How many are held, so that programs without any pay one test. */
extern u32 hd_libc_locks;

/* One hold of the calling thread; lives on its stack. */
struct hd_libc_hold {
    u64 key;
    u64 site;
    bool is_held, is_step; /* is_step: taking it had to wait, so giving it up is a step */
};

/* Takes the model of `key`, without a step if it is free. */
void hd_libc_hold(struct hd_libc_hold *h, u64 key, u64 site);
/* Only if another thread has it. For calls that cannot come to the program's code. */
void hd_libc_pass(struct hd_libc_hold *h, u64 key, u64 site);
void hd_libc_give(struct hd_libc_hold *h);
/* Waits until nobody else has it, and leaves it free. */
void hd_libc_await(u64 key, u64 site);
/* The calling thread ends: what libc's own cleanup has unlocked is released. */
void hd_libc_give_all(void);
/* Does another thread hold it? */
bool hd_libc_is_taken(u64 key);

/* Around the real function for stream `f`. */
HD_INLINE void hd_stream_begin(struct hd_libc_hold *h, FILE *f, u64 site)
{
    h->is_held = false;
    if (HD_UNLIKELY(hd_libc_locks) && f)
        hd_libc_pass(h, (u64)f, site);
}

HD_INLINE void hd_stream_end(struct hd_libc_hold *h)
{
    if (HD_UNLIKELY(h->is_held))
        hd_libc_give(h);
}

/* The value of `call`, made while no other thread has the stream. */
#define HD_STREAM(f, call)                                                                         \
    ({                                                                                             \
        struct hd_libc_hold hold_;                                                                 \
        HD_UNSAFE();                                                                               \
        hd_stream_begin(&hold_, f, HD_SITE());                                                     \
        __typeof__(call) value_ = (call);                                                          \
        hd_stream_end(&hold_);                                                                     \
        value_;                                                                                    \
    })

/* The loader's lock, and the one it has for callbacks of dl_iterate_phdr, which is
 * taken under the first (loader.c). */
extern const char hd_loader_key, hd_phdr_key;

#endif
