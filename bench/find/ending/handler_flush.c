/* An exit handler frees the buffer that a thread still fills
 * cause:    atexit handler against a thread that nobody joins
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;
static size_t used;

static void flush(void)
{
    pthread_mutex_lock(&lock);
    free(buffer);
    pthread_mutex_unlock(&lock);
}

static void *append(void *text)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        memcpy(buffer + used, text, 4);
        used += 4;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    buffer = malloc(64);
    atexit(flush);
    pthread_create(&t[0], NULL, append, "abcd");
    pthread_create(&t[1], NULL, append, "efgh");
    pthread_join(t[1], NULL);
    return 0;
}
