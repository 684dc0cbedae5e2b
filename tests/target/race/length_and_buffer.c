/* The length of a buffer is read in one section and the buffer in the next; it is replaced in between
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * crossed:  R1-R2-R3-R4
 */
#include "threads.h"

static const char *text = "a long text";
static int length = 11;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *replace(void *arg)
{
    pthread_mutex_lock(&lock);
    text = "short"; /* R2 */
    length = 5;     /* R3 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *show(void *arg)
{
    pthread_mutex_lock(&lock);
    int n = length; /* R1 */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    const char *s = text; /* R4 */
    pthread_mutex_unlock(&lock);
    printf("%d of %s\n", n, s);
    return arg;
}

int main(void)
{
    run_both(replace, show);
    return 0;
}
