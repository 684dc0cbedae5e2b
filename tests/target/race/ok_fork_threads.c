/* fork() beside threads: handlers of pthread_atfork hold the lock, the child works on its copy
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void hold(void) { pthread_mutex_lock(&m); }
static void give(void) { pthread_mutex_unlock(&m); }

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        a++, b--;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *forker(void *arg)
{
    int status;
    pid_t p = fork();
    if (p == 0) {
        int ok = a + b == 0;
        a = 100;
        _exit(!ok);
    }
    waitpid(p, &status, 0);
    if (status)
        abort();
    return arg;
}

int main(void)
{
    pthread_atfork(hold, give, give);
    run_both(worker, forker);
    return a != 3;
}
