/* Settings that are gone before the last look at them
 * cause:    free against use: shut down counts on a flag that is set too early
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct settings {
    int level, lines;
};

static struct settings *settings;
static atomic_int is_done;
static volatile int written;

static void *logger(void *arg)
{
    for (int i = 0; i < settings->level; i++)
        written++;
    atomic_store(&is_done, 1);
    written += settings->lines; /* B */
    return arg;
}

int main(void)
{
    pthread_t l;
    settings = malloc(sizeof *settings);
    *settings = (struct settings){2, 1};
    pthread_create(&l, NULL, logger, NULL);
    while (!atomic_load(&is_done))
        sched_yield();
    free(settings); /* A */
    pthread_join(l, NULL);
    return 0;
}
