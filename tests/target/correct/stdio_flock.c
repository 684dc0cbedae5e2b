/* Lines of several writes each, from several threads
 * cause:    none: flockfile keeps a line together
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LINES 4

static FILE *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written;

static void *writer(void *arg)
{
    int c = 'a' + (int)(long)arg;
    for (int i = 0; i < LINES; i++) {
        flockfile(out);
        for (int k = 0; k < 3; k++) {
            putc_unlocked(c, out);
            pthread_mutex_lock(&lock); /* others may run here: they must not get in */
            written++;
            pthread_mutex_unlock(&lock);
        }
        fprintf(out, "%c\n", c);
        funlockfile(out);
    }
    return arg;
}

static void *whole(void *arg)
{
    for (int i = 0; i < LINES; i++) {
        if (i % 2)
            fputs("zzzz\n", out);
        else if (ftrylockfile(out) == 0) {
            fwrite("zz", 1, 2, out);
            fputs("zz\n", out);
            funlockfile(out);
        } else
            fprintf(out, "%s\n", "zzzz");
    }
    return arg;
}

int main(void)
{
    char text[4096];
    memset(text, 0, sizeof text);
    out = fmemopen(text, sizeof text, "w");
    pthread_t t[4];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, writer, (void *)i);
    pthread_create(&t[3], NULL, whole, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    fclose(out);
    assert(written == 3 * 3 * LINES);
    assert(strlen(text) == 5 * 4 * LINES);
    for (size_t i = 0; i < strlen(text); i += 5)
        for (int k = 1; k < 4; k++)
            assert(text[i + (size_t)k] == text[i]);
    return 0;
}
