/* Attacks the host through what it shares with the program, in each way on purpose
 * args:     way [end]: at the end of the process, else beside another thread
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char *from;
static size_t size;
static const char *way;

static void find_shared(void)
{
    char line[512], mode[8];
    unsigned long lo, hi;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && !size && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s", &lo, &hi, mode) == 3 && mode[1] == 'w' && mode[3] == 's') {
            from = (unsigned char *)lo;
            size = hi - lo;
        }
    if (f)
        fclose(f);
}

/* Byte by byte: what the runtime itself needs is overwritten as well. */
__attribute__((no_sanitize("thread"))) static void fill(size_t begin, size_t end, int with)
{
    for (size_t i = begin; i < end; i++)
        ((volatile unsigned char *)from)[i] = (unsigned char)with;
}

__attribute__((no_sanitize("thread"))) static void count_up(void)
{
    volatile uint64_t *word = (volatile uint64_t *)from;
    for (size_t i = 0; i < 4096 / 8; i++)
        word[i] += 1000000;
}

static void attack(void)
{
    if (!strcmp(way, "truncate"))
        for (int fd = 3; fd < 2048; fd++)
            if (ftruncate(fd, 0)) {
            }
    if (!strcmp(way, "grow"))
        for (int fd = 3; fd < 2048; fd++)
            if (ftruncate(fd, (off_t)1 << 40)) {
            }
    if (!strcmp(way, "ones"))
        fill(0, size, 0xff);
    if (!strcmp(way, "zeros"))
        fill(0, size, 0);
    if (!strcmp(way, "letters"))
        fill(0, size, '/');
    if (!strcmp(way, "header"))
        fill(0, 1 << 18, 0xff);
    if (!strcmp(way, "tables"))
        fill(1 << 18, size, 0x41);
    if (!strcmp(way, "counts"))
        count_up();
    if (!strcmp(way, "reply"))
        for (int fd = 3; fd < 2048; fd++)
            if (write(fd, "DDDDDDDD", 8) < 0) {
            }
}

static void *work(void *arg)
{
    return arg;
}

static void at_end(void) { attack(); }

int main(int argc, char **argv)
{
    pthread_t t;
    way = argc > 1 ? argv[1] : "";
    find_shared();
    if (argc > 2)
        atexit(at_end);
    pthread_create(&t, 0, work, 0);
    if (argc <= 2)
        attack();
    pthread_join(t, 0);
    return 0;
}
