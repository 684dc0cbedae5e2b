/* main ends by pthread_exit, the others go on
 * cause:    none: the process ends with its last thread
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 2;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    int is_last = --left == 0;
    pthread_mutex_unlock(&lock);
    if (is_last)
        exit(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    pthread_exit(NULL);
}
