/* Two messages mixed in one pipe
 * cause:    header and body of a message are two writes to a shared descriptor
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   exit
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pipe_fd[2];

static void *sender(void *arg)
{
    const char *name = arg;
    if (write(pipe_fd[1], name, 1) != 1) /* A */
        return arg;
    if (write(pipe_fd[1], name + 1, 1) != 1) /* B */
        return arg;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    char got[4];
    if (pipe(pipe_fd))
        return 0;
    pthread_create(&a, NULL, sender, "Aa");
    pthread_create(&b, NULL, sender, "Bb");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (read(pipe_fd[0], got, 4) != 4)
        return 2;
    if (got[1] != got[0] + ('a' - 'A')) {
        fprintf(stderr, "mixed: %.4s\n", got);
        return 1;
    }
    return 0;
}
