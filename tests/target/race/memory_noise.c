/* What differs between the orders is not the program's: padding, freed memory, addresses of
 * stacks, numbers of threads, buffers of streams, bytes that nobody wrote
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    same
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads.h"

struct padded {
    char small;
    long large;
};
static struct padded pads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t last;
static pthread_t last_thread;
static int *on_stack;
static char *gone, *dirty;
static FILE *stream;
static int seen;

static void fill(struct padded *p, int byte)
{
    memset(p, byte, sizeof *p);
    p->small = 1;
    p->large = 2;
}

static void *one(void *arg)
{
    int here = arg != NULL;
    struct padded own;
    char *block = malloc(100);
    seen = 1; /* R1 */
    fill(&own, here ? 0x55 : 0x11);
    memset(block, 'a' + here, 100);
    pthread_mutex_lock(&lock);
    memcpy(&pads, &own, sizeof pads);
    last = (pid_t)syscall(SYS_gettid);
    last_thread = pthread_self();
    on_stack = &here;
    fprintf(stream, here ? "second\n" : "first\n");
    gone = block;
    free(block);
    free(dirty);
    dirty = malloc(100); /* may be what another thread filled before */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    stream = fopen("/dev/null", "w");
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, one, &seen);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    puts("done");
    return 0;
}
