/* A name that is changed while it is copied
 * cause:    use after free inside strlen and memcpy: the string is replaced meanwhile
 * build:    gcc -g -O1 -fsanitize=thread -fno-builtin
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *volatile name;
static char line[64];

static void *printer(void *arg)
{
    const char *text = name;
    size_t n = strlen(text);
    memcpy(line, text, n + 1); /* B */
    return arg;
}

static void *renamer(void *arg)
{
    char *old = name;
    name = strdup("worker-17");
    free(old); /* A */
    return arg;
}

int main(void)
{
    pthread_t p, r;
    name = strdup("worker");
    pthread_create(&p, NULL, printer, NULL);
    pthread_create(&r, NULL, renamer, NULL);
    pthread_join(p, NULL);
    pthread_join(r, NULL);
    free(name);
    return line[0] == 'w' ? 0 : 1;
}
