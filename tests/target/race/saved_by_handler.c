/* A handler saves how far a download is while the thread that downloads counts
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <signal.h>
#include <unistd.h>

#include "threads.h"

static long written;
static volatile long saved;

static void save(int sig)
{
    saved = written + sig; /* R2 */
}

static void *download(void *arg)
{
    for (int i = 0; i < 3; i++)
        written += 100; /* R1 */
    return arg;
}

int main(void)
{
    struct sigaction a = {.sa_handler = save};
    sigaction(SIGINT, &a, NULL);
    pthread_t t;
    pthread_create(&t, NULL, download, NULL);
    raise(SIGINT);
    pthread_join(t, NULL);
    return 0;
}
