/* quick_exit handlers take the lock that a detached logger uses; ends while the logger works
 * cause:    none: handler and thread use the same lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int lines;
static void flush(void)
{
    pthread_mutex_lock(&m);
    lines = -1;
    pthread_mutex_unlock(&m);
}
static void *logger(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&m);
        if (lines >= 0)
            lines++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    at_quick_exit(flush);
    pthread_create(&t, NULL, logger, NULL);
    pthread_detach(t);
    quick_exit(0);
}
