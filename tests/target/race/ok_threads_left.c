/* Threads that are joined, detached, joined by others, or still at work at the end
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdlib.h>
#include <unistd.h>

static pthread_t late;

static void *work(void *arg) { return arg; }

static void *for_ever(void *arg)
{
    for (;;)
        pause();
}

static void *join_it(void *arg)
{
    pthread_join(*(pthread_t *)arg, NULL);
    return arg;
}

static void at_exit(void) { pthread_join(late, NULL); }

int main(void)
{
    pthread_t a, b, c;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_create(&a, &detached, work, NULL);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, join_it, &a);
    pthread_join(b, NULL);
    pthread_create(&c, NULL, work, NULL);
    pthread_detach(c);
    pthread_create(&c, NULL, for_ever, NULL);
    atexit(at_exit);
    pthread_create(&late, NULL, work, NULL);
    return 0;
}
