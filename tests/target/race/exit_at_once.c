/* main leaves by _exit() and joins nobody: what its threads do meanwhile is done all the same
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 * result:   `hits` is 1 at the end
 */
#include <pthread.h>
#include <unistd.h>

static int hits;

static void *worker(void *arg)
{
    hits++; /* R1 */
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    _exit(0);
}
