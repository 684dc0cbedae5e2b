/* SIGEV_THREAD: the function runs in a thread of its own with the value
 * text:   the notification function is called as if it were the start of a new thread
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static sem_t done;
static pthread_t main_thread;

static void notify(union sigval v)
{
    IS(v.sival_int, 31);
    TRUE(!pthread_equal(pthread_self(), main_thread));
    OK(sem_post(&done));
}

int main(void)
{
    timer_t t;
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify, .sigev_value.sival_int = 31};
    struct itimerspec it = {{0, 0}, {0, 2000000}};
    main_thread = pthread_self();
    OK(sem_init(&done, 0, 0));
    OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
    for (int i = 0; i < 2; i++) {
        OK(timer_settime(t, 0, &it, NULL));
        OK(sem_wait(&done));
    }
    OK(timer_delete(t));
    return 0;
}
