/* Threads write into memory streams of their own and one in common
 * cause:    none: each call of stdio is atomic for its stream
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *common;

static void *worker(void *arg)
{
    char *text = NULL;
    size_t n = 0;
    FILE *own = open_memstream(&text, &n);
    for (int i = 0; i < 3; i++) {
        fprintf(own, "%d", i);
        fprintf(common, "%s\n", "abc");
    }
    fclose(own);
    assert(n == 3 && !strcmp(text, "012"));
    free(text);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    char *text = NULL;
    size_t n = 0;
    common = open_memstream(&text, &n);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    fclose(common);
    assert(n == 24);
    for (size_t i = 0; i < n; i += 4)
        assert(!memcmp(text + i, "abc\n", 4));
    free(text);
    return 0;
}
