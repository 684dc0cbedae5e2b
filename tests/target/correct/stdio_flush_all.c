/* fflush(NULL) while others open, close and lock streams
 * cause:    none: every lock is given back
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bytes;
static FILE *shared;

static ssize_t put(void *cookie, const char *text, size_t n)
{
    pthread_mutex_lock(&lock);
    bytes += (int)n;
    pthread_mutex_unlock(&lock);
    return (ssize_t)n;
}

static void *flusher(void *arg)
{
    for (int i = 0; i < 4; i++)
        fflush(NULL);
    return arg;
}

static void *opener(void *arg)
{
    for (int i = 0; i < 4; i++) {
        char *text;
        size_t n;
        FILE *f = i % 2 ? open_memstream(&text, &n) : fopen("/dev/null", "w");
        assert(f);
        fputs("some text", f);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        fclose(f);
        if (i % 2) {
            assert(n == 9);
            free(text);
        }
    }
    return arg;
}

static void *locker(void *arg)
{
    for (int i = 0; i < 4; i++) {
        flockfile(shared);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        fputs("abc", shared);
        funlockfile(shared);
    }
    return arg;
}

int main(void)
{
    shared = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});
    pthread_t t[3];
    pthread_create(&t[0], NULL, flusher, NULL);
    pthread_create(&t[1], NULL, opener, NULL);
    pthread_create(&t[2], NULL, locker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    fclose(shared);
    assert(bytes == 12);
    return 0;
}
