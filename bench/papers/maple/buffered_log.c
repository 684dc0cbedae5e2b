/* Apache 25520, from its public report: workers append their lines to one buffer of an access log, and
 * where the next line goes is asked and set without a lock, so lines overwrite each other. Several
 * kinds of accesses, a buffer that is flushed when it is full, and locked counters beside it, as there.
 * With an argument, another input: each worker has a log of its own.
 *   build: gcc -g -O1 -pthread -fsanitize=thread
 *   expect: assert
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, REQUESTS = 3, LINE = 12, SIZE = 5 * LINE };

struct log {
    char buffer[SIZE], file[WORKERS * REQUESTS * LINE + SIZE];
    size_t used, written;
};
static struct log logs[WORKERS];
static int is_apart;
static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void flush(struct log *to)
{
    memcpy(to->file + to->written, to->buffer, to->used);
    to->written += to->used;
    to->used = 0;
}

static void log_line(struct log *to, const char *line)
{
    if (to->used + LINE > SIZE)
        flush(to);
    memcpy(to->buffer + to->used, line, LINE);
    to->used += LINE;
}

static void *worker(void *arg)
{
    char line[LINE];
    memset(line, 'a' + (int)(long)arg, LINE);
    line[LINE - 1] = '\n';
    for (int i = 0; i < REQUESTS; i++) {
        pthread_mutex_lock(&counter_lock);
        served++;
        pthread_mutex_unlock(&counter_lock);
        log_line(&logs[is_apart ? (long)arg : 0], line);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    is_apart = argc > 1;
    pthread_t t[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    size_t all = 0;
    for (struct log *to = logs; to < logs + WORKERS; to++) {
        flush(to);
        all += to->written;
        for (size_t i = 0; i < to->written; i++) /* no line is mixed */
            assert(i % LINE == LINE - 1 ? to->file[i] == '\n' : to->file[i] == to->file[i - i % LINE]);
    }
    assert(all == (size_t)served * LINE); /* and none is lost */
    return 0;
}
