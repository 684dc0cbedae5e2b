/* Built by clang, which tells of an update only the write: both orders of the writes lose one
 * build:    clang -g -O2 -fsanitize=thread -shared-libsan
 * args:
 * races:    R1-R1
 * class:    changes
 * result:   Both at once: the program prints "size 1"
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int slots[4], size;

static void *put(void *arg)
{
    long key = (long)arg;
    pthread_mutex_lock(&locks[key % 2]);
    slots[key % 4] = (int)key;
    size++; /* R1 */
    pthread_mutex_unlock(&locks[key % 2]);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, put, (void *)1);
    pthread_create(&u, NULL, put, (void *)2);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("size %d\n", size);
    return 0;
}
