/* rng.h: the one random generator (splitmix64): small state, any seed good,
 * same numbers on every machine. All chance in Heddle comes from here. */
#ifndef HD_RNG_H
#define HD_RNG_H

#include "base/base.h"

struct hd_rng {
    u64 state;
};

HD_INLINE u64 hd_rng_next(struct hd_rng *r)
{
    u64 z = (r->state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* A generator for purpose `stream` of run `run` under campaign seed `seed`:
 * streams do not overlap, so adding a use of chance does not shift another. */
HD_INLINE struct hd_rng hd_rng_make(u64 seed, u64 run, u64 stream)
{
    struct hd_rng r = {seed};
    r.state = hd_rng_next(&r) ^ (run * 0xd1342543de82ef95ull);
    r.state = hd_rng_next(&r) ^ (stream * 0xaf251af3b0f025b5ull);
    hd_rng_next(&r);
    return r;
}

/* Uniform in [0, n), n > 0. Multiply-shift: bias below 2^-32 for n < 2^32. */
HD_INLINE u64 hd_rng_below(struct hd_rng *r, u64 n)
{
    return (u64)(((unsigned __int128)hd_rng_next(r) * n) >> 64);
}

/* True with probability num/den. */
HD_INLINE bool hd_rng_chance(struct hd_rng *r, u64 num, u64 den)
{
    return num && hd_rng_below(r, den) < num;
}

enum { HD_RNG_STRATEGY = 1, HD_RNG_CORE = 2, HD_RNG_DATA = 3, HD_RNG_DRIVE = 4, HD_RNG_YIELD = 5 };

#endif
