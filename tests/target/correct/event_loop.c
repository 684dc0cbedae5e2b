/* An event loop with two writers
 * cause:    none: poll tells which pipe has something; a quit byte from each ends it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int fd[2][2];

static void *sender(void *arg)
{
    int me = (int)(long)arg;
    for (const char *c = "abq"; *c; c++) {
        ssize_t n = write(fd[me][1], c, 1);
        assert(n == 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int open = 2, got = 0;
    if (pipe(fd[0]) || pipe(fd[1]))
        return 1;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sender, (void *)i);
    struct pollfd p[2] = {{fd[0][0], POLLIN, 0}, {fd[1][0], POLLIN, 0}};
    while (open) {
        int ready = poll(p, 2, -1);
        assert(ready > 0);
        for (int i = 0; i < 2; i++) {
            char c;
            if (!(p[i].revents & POLLIN) || read(p[i].fd, &c, 1) != 1)
                continue;
            got++;
            if (c == 'q') {
                p[i].fd = -1;
                open--;
            }
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(got == 6);
    return 0;
}
