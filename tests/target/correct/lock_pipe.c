/* A pipe with one byte in it as a mutex
 * cause:    none: who has the byte is inside; writing it back lets the next one in
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none (a pipe orders what stands before the write and after the read)
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int token[2];
static int shared;

static void *worker(void *arg)
{
    char byte;
    for (int i = 0; i < 3; i++) {
        if (read(token[0], &byte, 1) != 1)
            return NULL;
        shared++;
        if (write(token[1], &byte, 1) != 1)
            return NULL;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *end;
    int good = 0;
    if (pipe(token) || write(token[1], "x", 1) != 1)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &shared);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], &end);
        good += end != NULL;
    }
    assert(good == 3 && shared == 9);
    return 0;
}
