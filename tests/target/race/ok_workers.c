/* Workers take numbers and say which they got: the output depends on who was first
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int next, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take(void)
{
    pthread_mutex_lock(&lock);
    int got = next;
    if (got < 4)
        next = got + 1;
    pthread_mutex_unlock(&lock);
    return got;
}

static void *worker(void *arg)
{
    for (int i; (i = take()) < 4;) {
        printf("%c%d\n", arg ? 'a' : 'b', i);
        pthread_mutex_lock(&lock);
        sum += i;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, &t);
    worker(NULL);
    pthread_join(t, NULL);
    printf("%d\n", sum);
    return 0;
}
