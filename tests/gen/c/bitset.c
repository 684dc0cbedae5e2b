#include "bitset.h"

#include <stdatomic.h>
#include <stdlib.h>

struct bitset {
    unsigned bits;
    atomic_uint word[8];
};

bitset_t *bitset_create(unsigned bits)
{
    bitset_t *b = calloc(1, sizeof *b);
    b->bits = bits * 8 < 256 ? bits * 8 : 256;
    return b;
}

void bitset_destroy(bitset_t *b) { free(b); }

bool bitset_set(bitset_t *b, unsigned i)
{
    if (i >= b->bits)
        return false;
    return atomic_fetch_or(&b->word[i / 32], 1u << i % 32) >> i % 32 & 1;
}

bool bitset_clear(bitset_t *b, unsigned i)
{
    unsigned mask = 1u << i % 32;
    if (i >= b->bits)
        return false;
#ifdef FIXED
    return atomic_fetch_and(&b->word[i / 32], ~mask) & mask;
#else
    unsigned word = atomic_load(&b->word[i / 32]); /* bug */
    atomic_store(&b->word[i / 32], word & ~mask);
    return word & mask;
#endif
}

bool bitset_test(const bitset_t *b, unsigned i)
{
    return i < b->bits && atomic_load(&b->word[i / 32]) >> i % 32 & 1;
}

unsigned bitset_count(const bitset_t *b)
{
    return (unsigned)__builtin_popcount(atomic_load(&b->word[0]));
}
