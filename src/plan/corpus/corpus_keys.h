/* corpus_keys.h: which features are known, and their numbers. There are up to half a million, most
 * of them not kept: 8 bytes each, where a map (base/map.h) takes 16.
 *
 *   slot   46 upper bits of the key | number + 1
 *
 * Keys are hashes: two of them that differ in the lower 18 bits alone are taken for one, which
 * happens to one in 2^40 or so. Open addressing with linear probing by the upper bits, at most
 * 7/8 full.
 */
#ifndef HD_CORPUS_KEYS_H
#define HD_CORPUS_KEYS_H

#include "base/base.h"

#define HD_CORPUS_KEYS_NUMBERS ((1u << 18) - 1) /* numbers are less */

struct hd_corpus_keys {
    size_t n, cap; /* keys; slots */
    u64 *slot;     /* 0 = free */
};

/* Zeroed is initialized. */
void hd_corpus_keys_release(struct hd_corpus_keys *k);
/* False: it is not known, *number is not set. */
bool hd_corpus_keys_get(const struct hd_corpus_keys *k, u64 key, u32 *number);
/* Pre: it is not known. */
void hd_corpus_keys_add(struct hd_corpus_keys *k, u64 key, u32 number);
/* for (size_t i = 0; hd_corpus_keys_next(k, &i, &number);): nothing added meanwhile. */
bool hd_corpus_keys_next(const struct hd_corpus_keys *k, size_t *i, u32 *number);
/* ... the one that was given last has this number now. */
void hd_corpus_keys_set(struct hd_corpus_keys *k, size_t i, u32 number);

#endif
