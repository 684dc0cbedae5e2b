/* Threads read what commands print
 * cause:    none: popen and pclose keep a list of their own under a lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic int sum;

static void *worker(void *arg)
{
    int n = 0;
    FILE *f = popen("echo 21", "r");
    if (f && fscanf(f, "%d", &n) == 1)
        sum += n;
    if (f)
        pclose(f);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 42);
    return 0;
}
