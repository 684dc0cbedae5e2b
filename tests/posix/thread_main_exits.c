/* pthread_exit in main: the process lives until the last thread ends
 * text:   after main's thread ended by pthread_exit the others go on; the process ends with
 *         status 0 when the last one does, as if by exit
 * expect: exit 0
 */
#include "check.h"

static pthread_t main_thread;
static int fds[2];

static void at_exit(void) { IS(write(fds[1], "x", 1), 1); }

static void *user(void *arg)
{
    OK(pthread_join(main_thread, NULL));
    return NULL;
}

int main(void)
{
    OK(pipe(fds));
    pid_t child = fork();
    if (child == 0) {
        OK(atexit(at_exit));
        main_thread = pthread_self();
        start(user, NULL);
        pthread_exit(NULL);
    }
    IS(reap(child), 0);
    char c;
    close(fds[1]);
    IS(read(fds[0], &c, 1), 1);
    main_thread = pthread_self();
    start(user, NULL);
    pthread_exit((void *)5);
}
