/* Uses 4 GiB, a page here and there, from two threads.
 * expect: clean */
#include <pthread.h>
#include <stdlib.h>

static char *block;
static const size_t size = (size_t)4 << 30;

static void *work(void *arg)
{
    for (size_t i = (size_t)arg * 4096; i < size; i += (size_t)4 << 20)
        block[i] = 1;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    block = malloc(size);
    if (!block)
        abort();
    for (size_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int ok = block[0] && block[4096];
    free(block);
    return !ok;
}
