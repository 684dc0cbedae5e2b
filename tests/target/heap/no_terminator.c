/* A name without its end
 * cause:    heap overflow, read, by strlen: the last byte of the string was overwritten
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *name;
static atomic_int used = 6;
static volatile size_t length;

static void *append(void *arg)
{
    if (atomic_load(&used) < 7) { /* A */
        int i = atomic_fetch_add(&used, 1); /* B */
        name[i] = 'x'; /* one of them takes the place of the terminator */
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    name = calloc(8, 1);
    memcpy(name, "abcdef", 6);
    pthread_create(&a, NULL, append, NULL);
    pthread_create(&b, NULL, append, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    length = strlen(name);
    free(name);
    return 0;
}
