/* A reader of one table writes the other, and the other way round
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    L1-L2
 * class:    fails
 * finding:  blocked
 */
#include "threads.h"
#include <unistd.h>

static int names = 1, numbers = 1;
static pthread_rwlock_t of_names = PTHREAD_RWLOCK_INITIALIZER,
                        of_numbers = PTHREAD_RWLOCK_INITIALIZER;

static void *one(void *arg)
{
    pthread_rwlock_rdlock(&of_names);
    pthread_rwlock_wrlock(&of_numbers); /* L1 */
    numbers = names;
    pthread_rwlock_unlock(&of_numbers);
    pthread_rwlock_unlock(&of_names);
    return arg;
}

static void *two(void *arg)
{
    usleep(200000);
    pthread_rwlock_rdlock(&of_numbers);
    pthread_rwlock_wrlock(&of_names); /* L2 */
    names = numbers;
    pthread_rwlock_unlock(&of_names);
    pthread_rwlock_unlock(&of_numbers);
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d %d\n", names, numbers);
    return 0;
}
