/* Chance from the system: every source works, and nothing comes twice, whichever
 * thread asks. */
#include "check.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#define N 6

static void *draw(void *arg)
{
    unsigned char(*r)[16] = arg;
    static unsigned char too_much[257];
    IS(getrandom(r[0], 16, 0), 16);
    IS(getrandom(r[1], 16, GRND_NONBLOCK), 16);
    IS(getentropy(r[2], 16), 0);
    FAILS(getentropy(too_much, sizeof too_much), EIO);
    int fd = open("/dev/urandom", O_RDONLY);
    CHECK(fd >= 0);
    IS(read(fd, r[3], 16), 16);
    int copy = dup(fd);
    IS(read(copy, r[4], 16), 16);
    IS(close(fd), 0);
    IS(close(copy), 0);
    FILE *f = fopen("/dev/urandom", "r");
    CHECK(f);
    IS(fread(r[5], 1, 16, f), 16);
    fclose(f);
    return NULL;
}

int main(void)
{
    static unsigned char r[2 * N][16];
    pthread_t t;
    IS(pthread_create(&t, NULL, draw, r), 0);
    draw(r + N);
    IS(pthread_join(t, NULL), 0);
    for (int i = 0; i < 2 * N; i++)
        for (int k = 0; k < i; k++)
            CHECK(memcmp(r[i], r[k], 16));
    return 0;
}
