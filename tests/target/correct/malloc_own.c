/* A program with a malloc of its own that locks
 * cause:    none: the lock is a leaf, nothing is called under it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, its own start needs malloc
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char pool[1 << 20];
static size_t used;
static int calls;

void *malloc(size_t n)
{
    n = (n + 31) & ~(size_t)15;
    pthread_mutex_lock(&lock);
    char *p = used + n <= sizeof pool ? pool + used : NULL;
    used += p ? n : 0;
    calls++;
    pthread_mutex_unlock(&lock);
    if (!p)
        return NULL;
    *(size_t *)p = n - 16;
    return p + 16;
}

void free(void *p) { (void)p; }

void *calloc(size_t n, size_t size) { return malloc(n * size); } /* the pool is zero */

void *realloc(void *p, size_t n)
{
    void *to = malloc(n);
    if (to && p)
        memcpy(to, p, n < ((size_t *)p)[-2] ? n : ((size_t *)p)[-2]);
    return to;
}

static void *user(void *arg)
{
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen("/dev/null", "w"); /* mallocs, and its buffer under the stream's lock */
        assert(f);
        fprintf(f, "%d", i);
        fprintf(stdout, "%s", ""); /* one stream for all */
        putc('x', stderr);
        fclose(f);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    setvbuf(stderr, NULL, _IOFBF, 100);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(calls > 3);
    return 0;
}
