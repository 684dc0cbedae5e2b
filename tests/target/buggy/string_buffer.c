/* One string appended to another while it gets shorter
 * cause:    length and characters of the source are read in two critical sections
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct text {
    pthread_mutex_t m;
    int length;
    char c[32];
};
static struct text source = {PTHREAD_MUTEX_INITIALIZER, 5, "abcde"};
static struct text target = {PTHREAD_MUTEX_INITIALIZER, 2, "xy"};

static int length(struct text *t)
{
    pthread_mutex_lock(&t->m);
    int n = t->length;
    pthread_mutex_unlock(&t->m);
    return n;
}

static void copy_out(struct text *t, char *to, int n)
{
    pthread_mutex_lock(&t->m);
    assert(n <= t->length); /* B */
    memcpy(to, t->c, n);
    pthread_mutex_unlock(&t->m);
}

static void *append(void *arg)
{
    pthread_mutex_lock(&target.m);
    int n = length(&source);
    copy_out(&source, target.c + target.length, n);
    target.length += n;
    pthread_mutex_unlock(&target.m);
    return arg;
}

static void *truncate_source(void *arg)
{
    pthread_mutex_lock(&source.m);
    source.length = 0; /* A */
    pthread_mutex_unlock(&source.m);
    return arg;
}

int main(void)
{
    pthread_t a, t;
    pthread_create(&a, NULL, append, NULL);
    pthread_create(&t, NULL, truncate_source, NULL);
    pthread_join(a, NULL);
    pthread_join(t, NULL);
    return 0;
}
