/* The length of a buffer and the buffer are read in two sections, and read again until nothing was
 * replaced in between
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static const char *text = "a long text";
static int length = 11, version;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *replace(void *arg)
{
    pthread_mutex_lock(&lock);
    text = "short";
    length = 5;
    version++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *show(void *arg)
{
    int n, before, after;
    const char *s;
    do {
        pthread_mutex_lock(&lock);
        before = version;
        n = length;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        s = text;
        after = version;
        pthread_mutex_unlock(&lock);
    } while (before != after);
    printf("%d of %s\n", n, s);
    return arg;
}

int main(void)
{
    run_both(replace, show);
    return 0;
}
