/* Each thread writes its own place, meets the other, reads the other's place.
 * The barrier lets through whoever came first (B => B). A => C goes both ways,
 * crossed: both write before both read (5).
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,C) 1(B,B) 5(A,C,A,C)
 * pset:     0(A,C)
 * syncpair: none
 * map:      2(A,C)
 * cfp:      0(phases,phases)
 * race:     none
 * defuse:   2(A,C)
 */
#include <pthread.h>

static long place[2];
static pthread_barrier_t both;

static void *phases(void *arg)
{
    long me = (long)arg;
    place[me] = 1; /* A */
    pthread_barrier_wait(&both); /* B */
    return (void *)place[1 - me]; /* C */
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t[0], NULL, phases, (void *)0);
    pthread_create(&t[1], NULL, phases, (void *)1);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
