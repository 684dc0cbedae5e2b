/* A stream whose write function takes a lock
 * cause:    none: the stream's own lock is always taken first
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bytes, closed;

static ssize_t put(void *cookie, const char *text, size_t n)
{
    pthread_mutex_lock(&lock);
    *(int *)cookie += (int)n;
    pthread_mutex_unlock(&lock);
    return (ssize_t)n;
}

static ssize_t get(void *cookie, char *text, size_t n)
{
    pthread_mutex_lock(&lock);
    *(int *)cookie += 1;
    pthread_mutex_unlock(&lock);
    memset(text, 'x', n < 4 ? n : 4);
    return n < 4 ? (ssize_t)n : 4;
}

static int done(void *cookie)
{
    pthread_mutex_lock(&lock);
    closed++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static FILE *out, *in;

static void *user(void *arg)
{
    for (int i = 0; i < 5; i++) {
        fprintf(out, "%d\n", i);
        if (i % 2)
            fflush(out);
        assert(fgetc(in) == 'x');
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    FILE *own = fopencookie(&closed, "w", (cookie_io_functions_t){.close = done});
    fputs("lost", own);
    fclose(own);
    return arg;
}

int main(void)
{
    int got = 0;
    cookie_io_functions_t io = {.read = get, .write = put, .close = done};
    out = fopencookie(&bytes, "w", io);
    in = fopencookie(&got, "r", io);
    setvbuf(out, NULL, _IOLBF, 0);
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    fclose(out);
    fclose(in);
    assert(bytes == 3 * 5 * 2 && got > 0 && closed == 5);
    return 0;
}
