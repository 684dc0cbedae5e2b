/* A lock that both take for something else orders nine pairs alike in most runs: they are driven together
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-S1 R2-S2 R3-S3 R4-S4 R5-S5 R6-S6 R7-S7 R8-S8 R9-S9
 * class:    any
 */
#include "threads.h"
#include <unistd.h>

static int calls, n1, n2, n3, n4, n5, n6, n7, n8, n9;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    n1 = 1; /* R1 */
    n2 = 2; /* R2 */
    n3 = 3; /* R3 */
    n4 = 4; /* R4 */
    n5 = 5; /* R5 */
    n6 = 6; /* R6 */
    n7 = 7; /* R7 */
    n8 = 8; /* R8 */
    n9 = 9; /* R9 */
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *two(void *arg)
{
    int sum = 0;
    usleep(2000);
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    sum += n1; /* S1 */
    sum += n2; /* S2 */
    sum += n3; /* S3 */
    sum += n4; /* S4 */
    sum += n5; /* S5 */
    sum += n6; /* S6 */
    sum += n7; /* S7 */
    sum += n8; /* S8 */
    sum += n9; /* S9 */
    printf("%d\n", sum);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
