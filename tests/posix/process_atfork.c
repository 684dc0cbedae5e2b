/* pthread_atfork: prepare in reverse order, parent and child in order
 * text:   prepare handlers run in the parent before the fork, last registered first; the others
 *         afterwards in order of registration
 * expect: exit 0
 */
#include "check.h"

static char order[16];
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void p1(void) { order[n++] = '1'; }
static void p2(void)
{
    OK(pthread_mutex_lock(&m));
    order[n++] = '2';
}
static void a1(void) { order[n++] = 'a'; }
static void a2(void)
{
    order[n++] = 'b';
    OK(pthread_mutex_unlock(&m));
}
static void c1(void) { order[n++] = 'x'; }
static void c2(void)
{
    order[n++] = 'y';
    OK(pthread_mutex_unlock(&m));
}

static void *locker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        OK(pthread_mutex_lock(&m));
        OK(pthread_mutex_unlock(&m));
    }
    return NULL;
}

int main(void)
{
    OK(pthread_atfork(p1, a1, c1));
    OK(pthread_atfork(p2, a2, c2));
    pthread_t t = start(locker, NULL);
    pid_t child = fork();
    if (child == 0) {
        OK(strcmp(order, "21xy"));
        OK(pthread_mutex_lock(&m)); /* consistent in the child */
        _exit(0);
    }
    OK(strcmp(order, "21ab"));
    IS(reap(child), 0);
    join(t);
    return 0;
}
