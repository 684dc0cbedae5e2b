/* Two threads set a value; one of them says in a section before what it is going to replace
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int value = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *replace(void *arg)
{
    pthread_mutex_lock(&lock);
    int is_set = value > 0;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    value = is_set ? 3 : 4;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *set(void *arg)
{
    pthread_mutex_lock(&lock);
    value = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(replace, set);
    printf("%d\n", value);
    return 0;
}
