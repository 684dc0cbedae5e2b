/* A download whose saved state does not fit together
 * cause:    the saver reads the end mark and the offsets in two critical sections
 * build:    gcc -g -O1 -fsanitize=thread
 * args:     4
 * expect:   exit
 *
 * downloader THREADS (1-64): how does the search for one bug grow with the number of
 * threads? The workers take one lock in any order; only the saver's order against the
 * last of them matters.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 64 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int threads = 4, has_end, offset[MAX_THREADS];

static void *fetch(void *arg)
{
    long me = (long)arg;
    pthread_mutex_lock(&m);
    offset[me] = 10;
    if (me == threads - 1)
        has_end = 1;
    pthread_mutex_unlock(&m);
    return NULL;
}

static int is_end_there(void)
{
    pthread_mutex_lock(&m);
    int is_there = has_end;
    pthread_mutex_unlock(&m);
    return is_there;
}

/* Saves both; the next start believes them. */
static void *saver(void *arg)
{
    int saved_end = is_end_there(), saved[MAX_THREADS];
    pthread_mutex_lock(&m);
    for (int i = 0; i < threads; i++)
        saved[i] = offset[i];
    pthread_mutex_unlock(&m);
    return (void *)(long)(saved_end != (saved[threads - 1] == 10));
}

int main(int argc, char **argv)
{
    pthread_t s, t[MAX_THREADS];
    void *is_torn;
    if (argc > 1)
        threads = atoi(argv[1]);
    if (threads < 1 || threads > MAX_THREADS)
        return 64;
    pthread_create(&s, NULL, saver, NULL);
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, fetch, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    pthread_join(s, &is_torn);
    if (is_torn) {
        fprintf(stderr, "saved: all of the end, but no end\n");
        return 1;
    }
    return 0;
}
