/* Twelve pairs that a queue orders in every run, and one race that its lock hides in most
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

struct order {
    int a, b, c, d, e, f, g, h, i, j, k, l;
};

static struct order *queue[4], orders[4];
static int filled, last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *producer(void *arg)
{
    for (int i = 0; i < 4; i++) {
        struct order *o = &orders[i];
        o->a = i;
        o->b = i;
        o->c = i;
        o->d = i;
        o->e = i;
        o->f = i;
        o->g = i;
        o->h = i;
        o->i = i;
        o->j = i;
        o->k = i;
        o->l = i;
        last = i; /* R1 */
        pthread_mutex_lock(&lock);
        queue[filled++] = o;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consumer(void *arg)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        while (filled <= i)
            pthread_cond_wait(&more, &lock);
        struct order *o = queue[i];
        pthread_mutex_unlock(&lock);
        sum += o->a;
        sum += o->b;
        sum += o->c;
        sum += o->d;
        sum += o->e;
        sum += o->f;
        sum += o->g;
        sum += o->h;
        sum += o->i;
        sum += o->j;
        sum += o->k;
        sum += o->l;
        sum += last; /* R2 */
    }
    printf("%d\n", sum);
    return arg;
}

int main(void)
{
    run_both(producer, consumer);
    return 0;
}
