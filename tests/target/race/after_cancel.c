/* A thread that was cancelled may still be in its cleanup when it is not waited for
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <unistd.h>

#include "threads.h"

static int open_files = 1;

static void clean_up(void *arg)
{
    open_files = 0; /* R1 */
}

static void *worker(void *arg)
{
    pthread_cleanup_push(clean_up, NULL);
    pause();
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    printf("%d\n", open_files); /* R2 */
    pthread_join(t, NULL);
    return 0;
}
