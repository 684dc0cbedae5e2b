/* A log line written to the segment that was just archived
 * cause:    rotation between choosing the current segment and writing to it
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
static pthread_mutex_t current_m = PTHREAD_MUTEX_INITIALIZER;
static struct segment {
    pthread_mutex_t m;
    int lines;
} segment[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
static struct segment *current = &segment[0];
static int archived;

static void *logger(void *arg)
{
    for (int i = 0; i < LINES; i++) {
        pthread_mutex_lock(&current_m);
        struct segment *s = current;
        pthread_mutex_unlock(&current_m);
        pthread_mutex_lock(&s->m);
        s->lines++; /* B */
        pthread_mutex_unlock(&s->m);
    }
    return arg;
}

static void *rotate(void *arg)
{
    pthread_mutex_lock(&current_m);
    struct segment *old = current;
    current = &segment[1];
    pthread_mutex_unlock(&current_m);
    pthread_mutex_lock(&old->m);
    archived = old->lines; /* A */
    pthread_mutex_unlock(&old->m);
    return arg;
}

int main(void)
{
    pthread_t l, r;
    pthread_create(&l, NULL, logger, NULL);
    pthread_create(&r, NULL, rotate, NULL);
    pthread_join(l, NULL);
    pthread_join(r, NULL);
    if (archived + segment[1].lines != LINES) {
        fprintf(stderr, "%d lines missed\n", LINES - archived - segment[1].lines);
        return 3;
    }
    return 0;
}
