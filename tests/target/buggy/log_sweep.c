/* A line added to a log that was swept a moment ago
 * cause:    shared pointer tested and used in two reads, cleared between them
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>

#define LINES 4
struct log {
    int lines;
};
static struct log first;
static struct log *volatile current = &first;
static int swept;

static void *processor(void *arg)
{
    for (int i = 0; i < LINES; i++)
        if (current)
            current->lines++; /* B */
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *sweeper(void *arg)
{
    work();
    struct log *old = current;
    current = NULL; /* A */
    swept = old->lines;
    return arg;
}

int main(void)
{
    pthread_t p, s;
    pthread_create(&p, NULL, processor, NULL);
    pthread_create(&s, NULL, sweeper, NULL);
    pthread_join(p, NULL);
    pthread_join(s, NULL);
    return swept > LINES;
}
