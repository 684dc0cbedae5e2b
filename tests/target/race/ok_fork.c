/* A child of fork() has what its parent had; the parent goes on with its own
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

static int value = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&lock);
    pid_t child = fork();
    if (!child)
        _exit(value == 1 || value == 2 ? 0 : 1);
    pthread_mutex_unlock(&lock);
    int status = 1;
    waitpid(child, &status, 0);
    return status ? &value : NULL;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&lock);
    value = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
