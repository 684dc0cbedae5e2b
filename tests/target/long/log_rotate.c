/* A log is rotated while a line is still counted in the old one
 * cause: the line is counted after the lock was given up
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 15000 lines of each of two threads
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifndef WARM
#define WARM 15000
#endif

enum { SIZE = 256 };
struct log {
    long used, lines;
    char text[SIZE];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log *current;

static void line(const char *text, long n)
{
    pthread_mutex_lock(&lock);
    struct log *l = current;
    long at = l->used % (SIZE - n);
    l->used += n;
    memcpy(l->text + at, text, (size_t)n);
    pthread_mutex_unlock(&lock);
}

static void count_line(void)
{
    pthread_mutex_lock(&lock);
    struct log *l = current;
    pthread_mutex_unlock(&lock);
    l->lines++; /* BUG */
}

static void *writer(void *arg)
{
    for (long i = 0; i < WARM; i++)
        line("request", 7);
    count_line();
    return NULL;
}

static void rotate(void)
{
    struct log *fresh = calloc(1, sizeof *fresh);
    pthread_mutex_lock(&lock);
    struct log *old = current;
    current = fresh;
    pthread_mutex_unlock(&lock);
    free(old);
}

int main(void)
{
    pthread_t t[2];
    current = calloc(1, sizeof *current);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, NULL);
    for (long i = 0; i < WARM; i++)
        line("tick", 4);
    rotate();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
