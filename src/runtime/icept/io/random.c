/* random.c: chance that comes from the system. Under control it comes
 * from the campaign's data stream, so that a replayed run draws the same
 * numbers. rand() & co. are deterministic by themselves, given their seed.
 *
 * The stream is drawn from in the order of the calls, which the schedule
 * decides; so no scheduling point is needed here.
 */
#include "runtime/filter/fill.h"
#include "runtime/core/rt.h"

#include "base/rng.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

static struct hd_rng stream;
static u64 seeded_with;
static bool is_seeded;

void hd_random_fill(void *buf, size_t n)
{
    u64 seed = hd_rt.server->cfg.data_seed;
    if (!is_seeded || seeded_with != seed) {
        stream = hd_rng_make(seed, 0, HD_RNG_DATA);
        seeded_with = seed;
        is_seeded = true;
    }
    for (u8 *to = buf; n;) {
        u64 x = hd_rng_next(&stream);
        size_t k = HD_MIN(n, sizeof x);
        hd_memcpy(to, &x, k);
        to += k;
        n -= k;
    }
}

/* The same for memory the program named: 0 or an errno. */
static int fill_user(u8 *to, size_t n)
{
    u8 part[256];
    for (size_t k; n; to += k, n -= k) {
        k = HD_MIN(n, sizeof part);
        hd_random_fill(part, k);
        if (!hd_user_write(to, part, k))
            return EFAULT;
    }
    return 0;
}

static u32 random32(void)
{
    u32 x;
    hd_random_fill(&x, sizeof x);
    return x;
}

HD_EXPORT ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
    if (!hd_on())
        return HD_REAL(getrandom)(buf, n, flags);
    if (flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) {
        errno = EINVAL;
        return -1;
    }
    hd_fill_keep(buf, n, HD_SITE());
    int err = fill_user(buf, n);
    if (err) {
        errno = err;
        return -1;
    }
    hd_fill_state(buf, n, HD_SITE());
    return (ssize_t)n;
}

HD_EXPORT int getentropy(void *buf, size_t n)
{
    if (!hd_on())
        return HD_REAL(getentropy)(buf, n);
    if (n > 256) {
        errno = EIO;
        return -1;
    }
    hd_fill_keep(buf, n, HD_SITE());
    int err = fill_user(buf, n);
    if (err) {
        errno = err;
        return -1;
    }
    hd_fill_state(buf, n, HD_SITE());
    return 0;
}

HD_EXPORT u32 arc4random(void);
HD_EXPORT void arc4random_buf(void *buf, size_t n);
HD_EXPORT u32 arc4random_uniform(u32 below);

/* The kernel's numbers, for libcs that lack arc4random. */
static void kernel_random(void *buf, size_t n)
{
    for (u8 *to = buf; n;) {
        long r = hd_sys(SYS_getrandom, to, n, 0);
        if (r > 0) {
            to += r;
            n -= (size_t)r;
        }
    }
}

HD_EXPORT u32 arc4random(void)
{
    u32 x;
    if (hd_on())
        return random32();
    kernel_random(&x, sizeof x);
    return x;
}

HD_EXPORT void arc4random_buf(void *buf, size_t n)
{
    if (!hd_on()) {
        kernel_random(buf, n);
        return;
    }
    hd_fill_keep(buf, n, HD_SITE());
    hd_random_fill(buf, n);
    hd_fill_state(buf, n, HD_SITE());
}

HD_EXPORT u32 arc4random_uniform(u32 below)
{
    u32 x, unfair = below ? -below % below : 0; /* 2^32 mod below: drawn again */
    if (below < 2)
        return 0;
    do
        x = arc4random();
    while (x < unfair);
    return x % below;
}

/* std::random_device asks the processor (rdrand), where nobody can intervene:
 * its methods are intercepted instead. */
HD_EXPORT u32 hd_random_device(void *self) __asm__("_ZNSt13random_device9_M_getvalEv");
HD_EXPORT u32 hd_random_device(void *self) { return arc4random(); }

HD_EXPORT u32 hd_random_device_old(void *self) __asm__("_ZNSt13random_device16_M_getval_pretr1Ev");
HD_EXPORT u32 hd_random_device_old(void *self) { return arc4random(); }
