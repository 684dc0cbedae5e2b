/* A thread reads the object's handle of itself, which its creator stores after pthread_create() came back
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static struct worker {
    pthread_t handle;
    int is_set;
} worker;

static void *run(void *arg)
{
    struct worker *w = arg;
    puts(w->is_set ? "runs as itself" : "runs as nobody"); /* R2 */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, &worker);
    worker.handle = t;
    worker.is_set = 1; /* R1 */
    pthread_join(t, NULL);
    return 0;
}
