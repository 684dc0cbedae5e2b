/* two circles of the same locks in other functions
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *up(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

static void *down(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* bug 1 */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}

static void *around(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* bug 2 */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, up, NULL);
    pthread_create(&t[1], NULL, down, NULL);
    pthread_create(&t[2], NULL, around, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}
