/* A ring of tasks that comes out in another order
 * cause:    taken from the front and put to the back in two critical sections
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
#include <stddef.h>

#define TASKS 4
struct task {
    int id;
    struct task *next;
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct task tasks[TASKS];
static struct task *last; /* last->next is the first: a ring */

static struct task *unlink_first(void)
{
    struct task *t = last->next;
    last->next = t->next;
    return t;
}

static void link_last(struct task *t)
{
    t->next = last->next;
    last->next = t;
    last = t;
}

static void *run_first(void *arg)
{
    pthread_mutex_lock(&m);
    struct task *t = unlink_first();
    pthread_mutex_unlock(&m);
    t->id += 10; /* its turn */
    pthread_mutex_lock(&m);
    link_last(t); /* B */
    pthread_mutex_unlock(&m);
    return arg;
}

static void *skip_first(void *arg)
{
    pthread_mutex_lock(&m);
    link_last(unlink_first()); /* A */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t r, s;
    for (int i = 0; i < TASKS; i++) {
        tasks[i].id = i;
        tasks[i].next = &tasks[(i + 1) % TASKS];
    }
    last = &tasks[TASKS - 1];
    pthread_create(&r, NULL, run_first, NULL);
    pthread_create(&s, NULL, skip_first, NULL);
    pthread_join(r, NULL);
    pthread_join(s, NULL);
    struct task *t = last;
    for (int i = 0; i < TASKS; i++, t = t->next)
        assert(t->next->id % 10 == (t->id + 1) % 10 % TASKS);
    return 0;
}
