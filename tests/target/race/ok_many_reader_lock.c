/* A lock for each reader; the writer takes all of them in order
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>

#include "threads.h"

static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int a = 1, b = 1;

static void *reader(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock[me]);
        if (a != b)
            abort();
        pthread_mutex_unlock(&lock[me]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < 3; i++)
            pthread_mutex_lock(&lock[i]);
        a++, b++;
        for (int i = 3; i--;)
            pthread_mutex_unlock(&lock[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
