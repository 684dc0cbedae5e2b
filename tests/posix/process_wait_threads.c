/* A child may be waited for by any thread, by one only
 * text:   threads share the children; of two waits for one child one gets ECHILD
 * expect: exit 0
 */
#include "check.h"

static pid_t child;

static void *waiter(void *arg)
{
    int status;
    pid_t r = waitpid(child, &status, 0);
    if (r < 0) {
        IS(errno, ECHILD);
        return NULL;
    }
    IS(r, child);
    IS(WEXITSTATUS(status), 4);
    return &child;
}

int main(void)
{
    child = fork();
    if (child == 0)
        _exit(4);
    pthread_t a = start(waiter, NULL), b = start(waiter, NULL);
    int n = (join(a) != NULL) + (join(b) != NULL);
    IS(n, 1);
    return 0;
}
