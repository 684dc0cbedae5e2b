/* Writes noise into the shared memory of the runtime
 * args:     seed writes phase
 *   writes  so many; 0: one into each page; -1: over every byte of each page
 *   phase   0 before the second thread, 1 beside it, 2 at the end of the process,
 *           3 by a child that the runtime does not know of and that goes on after the end,
 *           4 before main, in the process that later runs are forked from
 * Each process writes other noise.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OTHER_MAX (16ul << 20) /* of memory that runs share with each other alone */

static uint64_t state;
static uint64_t from[64], size[64];
static int n_maps, phase;
static long writes;
static int shared, is_each_page, is_whole;

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
            int is_ours = strstr(line, "heddle") != NULL;
            from[n_maps] = lo;
            size[n_maps++] = is_ours || hi - lo < OTHER_MAX ? hi - lo : OTHER_MAX;
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
    for (int k = 0; k < n_maps && is_whole; k++) {
        uint64_t v = value();
        for (uint64_t at = 0; at < size[k]; at += 8) {
            *(volatile uint64_t *)(from[k] + at) = v;
            if (at % 512 == 0)
                v = value();
        }
    }
}

static long raw(long number, long a, long b)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
    return result;
}

__attribute__((no_sanitize("thread"))) static void noise_after_the_end(void)
{
    struct timespec a_while = {0, 2000000};
    if (raw(SYS_fork, 0, 0))
        return;
    for (int i = 0; i < 50; i++) {
        noise(writes / 50);
        raw(SYS_nanosleep, (long)&a_while, 0);
    }
    raw(SYS_exit_group, 0, 0);
}

static void at_end(void)
{
    if (phase == 2)
        noise(writes);
    if (phase == 3)
        noise_after_the_end();
}

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
        if (phase == 1 && (!is_whole || i == 10))
            noise(writes / 20);
    }
    return arg;
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    state += (uint64_t)getpid() << 32;
    writes = argc > 2 ? atol(argv[2]) : 1000;
    phase = argc > 3 ? atoi(argv[3]) : 0;
    for (int i = 0; i < 4; i++)
        next();
    find_maps();
    is_each_page = !writes;
    is_whole = writes < 0;
    for (int i = 0; i < n_maps && is_each_page; i++)
        writes += (long)(size[i] / 4096);
    if (phase == 4)
        noise(writes);
}

int main(void)
{
    pthread_t t;
    if (!n_maps)
        return 3;
    state += (uint64_t)getpid() << 32;
    atexit(at_end);
    if (phase == 0)
        noise(writes);
    pthread_create(&t, 0, work, 0);
    for (int i = 0; i < 20; i++)
        __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
    pthread_join(t, 0);
    return 0;
}
