/* bits.h: fixed-size bit sets over thread numbers. */
#ifndef HD_BITS_H
#define HD_BITS_H

#include "base/base.h"

#define HD_BITS_WORDS(n) (((n) + 63) / 64)

HD_INLINE bool hd_bit_is_set(const u64 *w, u32 i) { return w[i >> 6] >> (i & 63) & 1; }
HD_INLINE void hd_bit_set(u64 *w, u32 i) { w[i >> 6] |= (u64)1 << (i & 63); }
HD_INLINE void hd_bit_clear(u64 *w, u32 i) { w[i >> 6] &= ~((u64)1 << (i & 63)); }

/* How many bits of x are set. The plain x86-64 has no instruction for it, and a call of
 * libgcc's function costs more than this. */
HD_INLINE u32 hd_ones(u64 x)
{
    if (!(x & (x - 1)))
        return x != 0;
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    return (u32)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull >> 56);
}

HD_INLINE u32 hd_bits_count(const u64 *w, u32 words)
{
    u32 n = 0;
    for (u32 i = 0; i < words; i++)
        n += hd_ones(w[i]);
    return n;
}

/* The k-th set bit (k from 0), or ~0u if there are not that many. */
HD_INLINE u32 hd_bits_nth(const u64 *w, u32 words, u32 k)
{
    for (u32 i = 0; i < words; i++) {
        u32 c = hd_ones(w[i]);
        if (k < c) {
            u64 x = w[i];
            while (k--)
                x &= x - 1;
            return i * 64 + (u32)__builtin_ctzll(x);
        }
        k -= c;
    }
    return ~0u;
}

/* Loop over the set bits of `w` (not changed while looping). */
#define HD_BITS_EACH(i, w, words)                                                                  \
    for (u32 i##_w = 0, i = 0; i##_w < (words); i##_w++)                                           \
        for (u64 i##_x = (w)[i##_w];                                                               \
             i##_x && (i = i##_w * 64 + (u32)__builtin_ctzll(i##_x), 1); i##_x &= i##_x - 1)

#endif
