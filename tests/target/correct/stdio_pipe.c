/* A pipe through stdio, longer than it can hold
 * cause:    none: the reader reads what the writer blocks on
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINES 3000
static int fd[2];

static void *writer(void *arg)
{
    FILE *f = fdopen(fd[1], "w");
    for (int i = 0; i < LINES; i++)
        fprintf(f, "%d a line that is long enough to fill the pipe at some time\n", i);
    fclose(f);
    return arg;
}

static void *reader(void *arg)
{
    FILE *f = fdopen(fd[0], "r");
    char line[200];
    int n = 0, k;
    while (fgets(line, sizeof line, f)) {
        assert(sscanf(line, "%d", &k) == 1 && k == n);
        n++;
    }
    fclose(f);
    assert(n == LINES);
    return arg;
}

int main(void)
{
    assert(pipe(fd) == 0);
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
