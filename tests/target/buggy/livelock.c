/* Two diners so polite that the spoon never stops
 * cause:    livelock: each gives way for ever once both want the same thing
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   livelock
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int is_hungry[2], spoon; /* spoon: who has it */
static sem_t seated;

static void dine(int me)
{
    int other = !me;
    atomic_store(&is_hungry[me], 1); /* A */
    for (;;) {
        if (atomic_load(&spoon) != me) {
            sched_yield();
        } else if (atomic_load(&is_hungry[other])) { /* B */
            atomic_store(&spoon, other);
        } else {
            atomic_store(&is_hungry[me], 0);
            atomic_store(&spoon, other);
            return;
        }
    }
}

static void *guest(void *arg)
{
    sem_post(&seated);
    dine(0);
    return arg;
}

static void *host(void *arg)
{
    dine(1);
    return arg;
}

int main(void)
{
    pthread_t g, h;
    sem_init(&seated, 0, 0);
    pthread_create(&g, NULL, guest, NULL);
    sem_wait(&seated);
    pthread_create(&h, NULL, host, NULL);
    pthread_join(g, NULL);
    pthread_join(h, NULL);
    return 0;
}
