/* Lines dropped while the log is rotated
 * cause:    closed and opened again in two critical sections, silent where it is closed
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   exit
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdio.h>

#define LINES 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1, generation, lines[2];

static void *client(void *arg)
{
    for (int i = 0; i < LINES; i++) {
        pthread_mutex_lock(&m);
        if (is_open) /* A */
            lines[generation]++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void close_log(void)
{
    pthread_mutex_lock(&m);
    is_open = 0;
    pthread_mutex_unlock(&m);
}

static void open_log(void)
{
    pthread_mutex_lock(&m);
    generation++;
    is_open = 1; /* B */
    pthread_mutex_unlock(&m);
}

static void *rotate(void *arg)
{
    close_log();
    open_log();
    return arg;
}

int main(void)
{
    pthread_t c, r;
    pthread_create(&c, NULL, client, NULL);
    pthread_create(&r, NULL, rotate, NULL);
    pthread_join(c, NULL);
    pthread_join(r, NULL);
    if (lines[0] + lines[1] != LINES) {
        fprintf(stderr, "%d of %d lines logged\n", lines[0] + lines[1], LINES);
        return 3;
    }
    return 0;
}
