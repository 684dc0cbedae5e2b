/* The owner of a robust mutex ends; the next one makes what it protects consistent
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <errno.h>

#include "threads.h"

static pthread_mutex_t lock;
static int total;

static void *one(void *arg)
{
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    total = total + 1;
    if (!arg)
        pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t a;
    pthread_t t[2];
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &a);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, one, &lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return total != 2;
}
