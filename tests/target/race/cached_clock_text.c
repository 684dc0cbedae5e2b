/* The text of the time is kept for all threads and renewed by whoever notices that it is old
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <string.h>

#include "threads.h"

static char now[16] = "00:00:00";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *renew(void *arg)
{
    pthread_mutex_lock(&lock);
    memcpy(now, "11:11:11", 9); /* R1 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *answer(void *arg)
{
    char header[32] = "Date: ";
    strcat(header, now); /* R2 */
    return header[6] == '0' || header[6] == '1' ? arg : (void *)1;
}

int main(void)
{
    run_both(renew, answer);
    return 0;
}
