/* Atomicity over two variables: items are removed, then the position is moved; a reader in
 * between is past the end.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count = 4, position = 3;

static void *remove_items(void *arg)
{
    pthread_mutex_lock(&lock);
    count = 2;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    position = 1;
    pthread_mutex_unlock(&lock);
    work(WORK);
    return arg;
}

static void *seek(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(position < count);
    pthread_mutex_unlock(&lock);
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(remove_items), b = start(seek);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
