/* Ends itself by a signal that nothing can catch: not the same as being killed
 * by somebody else.
 * expect: signal
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *end(void *arg)
{
    kill(getpid(), SIGKILL);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, end, NULL);
    pthread_create(&b, NULL, end, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
