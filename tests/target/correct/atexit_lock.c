/* Handlers of exit that take locks other threads use
 * cause:    none: the locks are given back by those threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int handled, bytes;

static void registers_more(void)
{
    pthread_mutex_lock(&lock);
    handled++;
    pthread_mutex_unlock(&lock);
}

static void handler(void)
{
    pthread_mutex_lock(&lock);
    handled++;
    pthread_mutex_unlock(&lock);
    atexit(registers_more);
}

static ssize_t put(void *cookie, const char *text, size_t n)
{
    pthread_mutex_lock(&lock);
    bytes += (int)n;
    if (handled != 2 || bytes != 4)
        _exit(1);
    pthread_mutex_unlock(&lock);
    return (ssize_t)n;
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    FILE *f = fopen("/dev/null", "w");
    pthread_mutex_unlock(&lock);
    if (f)
        fclose(f);
    atexit(registers_more);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    atexit(handler);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    handled = -2; /* the handlers that the workers registered count, too */
    FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});
    fputs("text", f); /* flushed by exit */
    return 0;
}
