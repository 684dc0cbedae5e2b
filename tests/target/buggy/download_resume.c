/* A download that was interrupted and resumes behind a hole
 * cause:    progress is told before the piece is written; saved on SIGINT in between
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   exit
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define PIECES 3
#define THREADS 2
static atomic_int progress[THREADS]; /* pieces that need not be fetched again */
static atomic_int file[THREADS][PIECES];
static int holes;

static void *fetch(void *arg)
{
    long me = (long)arg;
    for (int i = 0; i < PIECES; i++) {
        atomic_store(&progress[me], i + 1);
        atomic_store(&file[me][i], 1); /* B */
    }
    return NULL;
}

/* The only thread that takes SIGINT: what it finds is what the next start knows. */
static void *saver(void *arg)
{
    int signo;
    sigwait(arg, &signo);
    for (int t = 0; t < THREADS; t++) {
        int have = atomic_load(&progress[t]);
        for (int i = 0; i < have; i++)
            holes += !atomic_load(&file[t][i]); /* A */
    }
    return NULL;
}

int main(void)
{
    pthread_t f[THREADS], s;
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, NULL);
    pthread_create(&s, NULL, saver, &interrupt);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&f[i], NULL, fetch, (void *)i);
    pthread_kill(s, SIGINT);
    for (int i = 0; i < THREADS; i++)
        pthread_join(f[i], NULL);
    pthread_join(s, NULL);
    if (holes) {
        fprintf(stderr, "resume would leave %d holes\n", holes);
        return 2;
    }
    return 0;
}
