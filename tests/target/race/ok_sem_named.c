/* A named semaphore as a lock
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <fcntl.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

static sem_t *s;
static int counter, last;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(s);
        counter++;
        last = i;
        sem_post(s);
    }
    return arg;
}

int main(void)
{
    char name[40];
    snprintf(name, sizeof name, "/ok_named_%d", (int)getpid());
    s = sem_open(name, O_CREAT, 0600, 1);
    if (s == SEM_FAILED)
        return 0;
    sem_unlink(name);
    run_both(worker, worker);
    sem_close(s);
    return counter != 6 || last != 2;
}
