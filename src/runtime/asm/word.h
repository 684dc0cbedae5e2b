/* word.h: words that atomic instructions in assembly update, and what is ordered by them.
 *
 * What such a program does to its words besides is not seen: a lock is taken by an update and given
 * back by a plain store. Between two scheduling points one thread runs; so if a word has another value
 * than the last update left, that thread stored it: it releases. An update, and a look at the
 * word by a thread that waits, acquire. They are told as annotations of the program are
 * (__tsan_acquire and __tsan_release of the word's address), and plain accesses to the word
 * as benign: it is shared on purpose.
 */
#ifndef HD_WORD_H
#define HD_WORD_H

#include "runtime/core/rt.h"

extern HD_HIDDEN u32 hd_n_words; /* 0: the program has none */

/* The calling thread comes to an update of it. */
void hd_word_benign(u64 addr, u32 size, u64 site);
/* The calling thread is about to update it, and leaves `value` (its low 8 bytes). */
void hd_word_update(u64 addr, u32 size, u64 site, u64 value);
/* The calling thread waited, and looks again at the word it updated last. */
void hd_word_look(u64 site);
void hd_word_settle_slow(void);
/* The calling thread has come to a scheduling point. */
HD_INLINE void hd_word_settle(void)
{
    if (HD_UNLIKELY(hd_n_words))
        hd_word_settle_slow();
}

#endif
