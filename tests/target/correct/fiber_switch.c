/* Each thread runs two fibers of its own with swapcontext
 * cause:    none: fibers never leave their thread
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

struct pair {
    ucontext_t main, fiber;
    int steps;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static __thread struct pair *mine;

static void run(void)
{
    for (;;) {
        mine->steps++;
        swapcontext(&mine->fiber, &mine->main);
    }
}

static void *worker(void *arg)
{
    struct pair p = {.steps = 0};
    void *stack = malloc(65536);
    mine = &p;
    getcontext(&p.fiber);
    p.fiber.uc_stack.ss_sp = stack;
    p.fiber.uc_stack.ss_size = 65536;
    makecontext(&p.fiber, run, 0);
    for (int i = 0; i < 3; i++) {
        swapcontext(&p.main, &p.fiber);
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    assert(p.steps == 3);
    free(stack);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(total == 6);
    return 0;
}
