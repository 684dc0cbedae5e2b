/* strings.c [N]: two threads, each N thousand times: a string is allocated, filled, measured
 * and freed. The cost of the allocator's checks and of the string functions. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static long n = 20;

static void *work(void *arg)
{
    size_t sum = 0;
    for (long i = 0; i < n * 1000; i++) {
        char *s = malloc(16 + (size_t)(i & 63));
        strcpy(s, "a short text");
        s[3] = (char)('a' + i % 16);
        sum += strlen(s);
        free(s);
    }
    return sum == (size_t)n * 12000 ? NULL : arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    void *failed[2];
    if (argc > 1)
        n = atol(argv[1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &t[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &failed[i]);
    return failed[0] || failed[1];
}
