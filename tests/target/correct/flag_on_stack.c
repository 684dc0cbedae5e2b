/* A flag on main's own stack that goes up and down until another thread has seen it often
 * cause:    none: each of the two alone goes round and round, together they come to an end
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     51, each goes round for long
 * races:    none
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int done;
static _Thread_local atomic_int own;

static void *see(void *arg)
{
    atomic_int *flag = arg;
    for (int n = 0; n < 3000;)
        if (atomic_load(flag))
            n++;
    atomic_fetch_add(&done, 1);
    return 0;
}

int main(void)
{
    atomic_int flag = 0; /* the same for a variable of the thread */
    pthread_t t, u;
    pthread_create(&t, 0, see, &flag);
    pthread_create(&u, 0, see, &own);
    while (atomic_load(&done) < 2) {
        atomic_store(&flag, 1);
        sched_yield();
        atomic_store(&flag, 0);
        atomic_store(&own, 1);
        sched_yield();
        atomic_store(&own, 0);
    }
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
