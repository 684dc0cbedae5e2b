/* Writes noise into the shared memory of the runtime
 * args:     seed writes phase
 *   phase   0 before the second thread, 1 beside it, 2 at the end of the process,
 *           3 by a child that goes on after the end
 * With writes = 0, each page gets one. Each process writes other noise.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state;
static uint64_t from[64], size[64];
static int n_maps, phase;
static long writes;
static int shared, is_each_page;

static uint64_t next(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 17;
}

static void find_maps(void)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    unsigned long lo, hi;
    char mode[8];
    while (f && n_maps < 64 && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s", &lo, &hi, mode) == 3 && mode[1] == 'w' && mode[3] == 's') {
            from[n_maps] = lo;
            size[n_maps++] = hi - lo;
        }
    if (f)
        fclose(f);
}

static uint64_t value(void)
{
    switch (next() % 6) {
    case 0: return 0;
    case 1: return ~0ull;
    case 2: return next() % 300;
    case 3: return 1ull << next() % 64;
    case 4: return next() % 70000;
    default: return next() * 0x9e3779b97f4a7c15ull;
    }
}

/* Half of it into the first 64 pages of a mapping, where lengths and counts are. */
__attribute__((no_sanitize("thread"))) static void noise(long n)
{
    for (long i = 0; i < n && n_maps; i++) {
        int k = (int)(next() % (uint64_t)n_maps);
        uint64_t room = next() % 2 && size[k] > 64 * 4096 ? 64 * 4096 : size[k];
        uint64_t at = next() % (room / 8) * 8, v = value();
        if (is_each_page)
            at = (uint64_t)i % (size[k] / 4096) * 4096 + next() % 512 * 8;
        switch (next() % 3) {
        case 0: *(volatile uint8_t *)(from[k] + at + next() % 8) = (uint8_t)v; break;
        case 1: *(volatile uint32_t *)(from[k] + at + 4 * (next() % 2)) = (uint32_t)v; break;
        default: *(volatile uint64_t *)(from[k] + at) = v;
        }
    }
}

static void at_end(void)
{
    if (phase == 2)
        noise(writes);
    if (phase == 3 && !fork()) {
        for (int i = 0; i < 50; i++) {
            noise(writes / 50);
            usleep(2000);
        }
        _exit(0);
    }
}

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
        if (phase == 1)
            noise(writes / 20);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    state += (uint64_t)getpid() << 32;
    writes = argc > 2 ? atol(argv[2]) : 1000;
    phase = argc > 3 ? atoi(argv[3]) : 0;
    for (int i = 0; i < 4; i++)
        next();
    n_maps = 0;
    find_maps();
    if (!n_maps)
        return 3;
    is_each_page = !writes;
    for (int i = 0; i < n_maps && is_each_page; i++)
        writes += (long)(size[i] / 4096);
    atexit(at_end);
    if (phase == 0)
        noise(writes);
    pthread_create(&t, 0, work, 0);
    for (int i = 0; i < 20; i++)
        __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
    pthread_join(t, 0);
    return 0;
}
