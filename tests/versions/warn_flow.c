/* warn_flow.c: the program that warn_flow.txt changes: locks in functions of their own, ways that leave early, a
 * function that is called with the lock and without it. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level, drained, refused, seen;

__attribute__((noinline)) void enter(void) { pthread_mutex_lock(&lock); }
__attribute__((noinline)) void leave(void) { pthread_mutex_unlock(&lock); }

__attribute__((noinline)) void note(int n)
{
    seen += n; /* note */
    /* end of note */
}

__attribute__((noinline)) int fill(int n)
{
    enter();
    if (level > 6) {
        refused++;
        leave();
        return 0;
    }
    level += n;
    /* filled */
    leave();
    /* end of fill */
    return 1;
}

__attribute__((noinline)) void drain(int n)
{
    pthread_mutex_lock(&lock);
    if (!level) {
        pthread_mutex_unlock(&lock);
        return;
    }
    level--;
    drained += n;
    note(n);
    /* drained */
    pthread_mutex_unlock(&lock);
    /* end of drain */
}

static void *run(void *arg)
{
    for (int i = 0; i < 3; i++) {
        fill(i);
        drain(i);
    }
    return arg;
}

int main(void)
{
    pthread_t id[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&id[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(id[i], 0);
    printf("%d %d %d %d\n", level, drained, refused, seen);
    return 0;
}
