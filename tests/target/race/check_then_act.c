/* Whether there is room is asked in one section, the room is taken in another one
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * between:  R1-R2-R2
 * result:   which of them are right only you know
 */
#include "threads.h"

static int room = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *guest(void *arg)
{
    pthread_mutex_lock(&lock);
    int left = room; /* R1 */
    pthread_mutex_unlock(&lock);
    if (left <= 0)
        return arg;
    pthread_mutex_lock(&lock);
    room = left - 1; /* R2 */
    printf("in\n");
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(guest, guest);
    return 0;
}
