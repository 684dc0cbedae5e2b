/* Bytes that arrive in a buffer which was given up
 * cause:    use after free by a system call: the buffer of a read that waits is freed
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static char *buffer;
static atomic_int is_given_up;

static void *reader(void *arg)
{
    if (!atomic_load(&is_given_up) && read(ends[0], buffer, 16) < 0) /* B */
        return NULL;
    return arg;
}

static void *owner(void *arg)
{
    atomic_store(&is_given_up, 1);
    free(buffer); /* A */
    if (write(ends[1], "0123456789abcdef", 16) != 16)
        return NULL;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (pipe(ends))
        return 1;
    buffer = malloc(16);
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
