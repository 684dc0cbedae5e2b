/* poll() for a child
 * cause:    none: the child writes within 30 ms, the time given is 5 s
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     28, each waits for a real child
 * races:    none
 */
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *other(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
        usleep(5000);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int fd[2], status;
    char c = 0;
    if (pipe(fd))
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        usleep(30000);
        return write(fd[1], "x", 1) != 1;
    }
    pthread_create(&t, NULL, other, NULL);
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    if (poll(&p, 1, 5000) != 1 || read(fd[0], &c, 1) != 1 || c != 'x')
        return 2;
    waitpid(pid, &status, 0);
    pthread_join(t, NULL);
    return status;
}
