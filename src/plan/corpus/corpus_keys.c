/* corpus_keys.c: see corpus_keys.h. */
#include "plan/corpus/corpus_keys.h"

#include <stdlib.h>

#define SMALLEST 1024
#define NUMBER ((u64)HD_CORPUS_KEYS_NUMBERS) /* the bits of a number + 1 */

void hd_corpus_keys_release(struct hd_corpus_keys *k)
{
    free(k->slot);
    *k = (struct hd_corpus_keys){0};
}

/* Where the key, or as much of it as a slot has, is looked for first. */
static size_t home(const struct hd_corpus_keys *k, u64 key)
{
    return (size_t)((key >> 32) * k->cap >> 32);
}

/* Slot of the key, or the free one where it would go. Pre: there are slots. */
static size_t find(const struct hd_corpus_keys *k, u64 key)
{
    size_t i = home(k, key);
    while (k->slot[i] && (k->slot[i] ^ key) & ~NUMBER)
        i = i + 1 < k->cap ? i + 1 : 0;
    return i;
}

bool hd_corpus_keys_get(const struct hd_corpus_keys *k, u64 key, u32 *number)
{
    u64 slot = k->n ? k->slot[find(k, key)] : 0;
    if (!slot)
        return false;
    *number = (u32)(slot & NUMBER) - 1;
    return true;
}

static void grow(struct hd_corpus_keys *k)
{
    struct hd_corpus_keys old = *k;
    k->cap = old.cap ? old.cap + old.cap / 2 : SMALLEST;
    k->slot = calloc(k->cap, sizeof *k->slot);
    HD_ASSERT(k->slot);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i])
            k->slot[find(k, old.slot[i])] = old.slot[i];
    free(old.slot);
}

void hd_corpus_keys_add(struct hd_corpus_keys *k, u64 key, u32 number)
{
    HD_ASSERT(number < HD_CORPUS_KEYS_NUMBERS);
    if (k->n + 1 > k->cap / 8 * 7)
        grow(k);
    size_t i = find(k, key);
    HD_ASSERT(!k->slot[i]);
    k->slot[i] = (key & ~NUMBER) | (number + 1u);
    k->n++;
}

bool hd_corpus_keys_next(const struct hd_corpus_keys *k, size_t *i, u32 *number)
{
    while (*i < k->cap && !k->slot[*i])
        ++*i;
    if (*i >= k->cap)
        return false;
    *number = (u32)(k->slot[(*i)++] & NUMBER) - 1;
    return true;
}

void hd_corpus_keys_set(struct hd_corpus_keys *k, size_t i, u32 number)
{
    HD_ASSERT(i && i <= k->cap && k->slot[i - 1] && number < HD_CORPUS_KEYS_NUMBERS);
    k->slot[i - 1] = (k->slot[i - 1] & ~NUMBER) | (number + 1u);
}
