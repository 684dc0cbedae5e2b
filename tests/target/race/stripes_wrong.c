/* Striped locks: one function takes the stripe of the key, the other that of the bucket
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include "threads.h"

static pthread_mutex_t stripe[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int bucket[4];

static void add(int key, int lock)
{
    pthread_mutex_lock(&stripe[lock]);
    bucket[key % 4] += key; /* R1 */
    pthread_mutex_unlock(&stripe[lock]);
}
static void *by_key(void *arg) { add(5, (5 / 4) % 2); return arg; }
static void *by_bucket(void *arg) { add(9, (9 / 4) % 2); return arg; }

int main(void)
{
    run_both(by_key, by_bucket);
    printf("%d\n", bucket[1]);
    return 0;
}
