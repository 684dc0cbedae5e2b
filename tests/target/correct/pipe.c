/* Producer and consumer at the two ends of a pipe
 * cause:    none: one write per message, end of file ends the loop
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int fd[2];

static void *producer(void *arg)
{
    for (int i = 1; i <= 5; i++) {
        ssize_t n = write(fd[1], &i, sizeof i);
        assert(n == sizeof i);
    }
    close(fd[1]);
    return arg;
}

static void *consumer(void *arg)
{
    long sum = 0;
    int i;
    ssize_t n;
    while ((n = read(fd[0], &i, sizeof i)) == sizeof i)
        sum += i;
    assert(n == 0);
    close(fd[0]);
    return (void *)sum;
}

int main(void)
{
    pthread_t p, c;
    void *sum;
    if (pipe(fd))
        return 1;
    pthread_create(&c, NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, &sum);
    assert((long)sum == 15);
    return 0;
}
