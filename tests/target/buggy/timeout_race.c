/* An answer that comes while the caller gives up
 * cause:    timeout race: ETIMEDOUT is believed without another look at the predicate
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   2000 runs
 * strategy: random,pos,pct
 * pair:     A before B fails
 * preemptions: 0
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int is_open = 1, answer;
static int sent, refused, received;

static void *server(void *arg)
{
    pthread_mutex_lock(&m);
    if (is_open) {
        answer = 42; /* A */
        sent++;
        pthread_cond_signal(&answered);
    } else {
        refused++;
    }
    pthread_mutex_unlock(&m);
    return arg;
}

static void call(void)
{
    struct timespec until;
    int err = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&m);
    while (!answer && err != ETIMEDOUT) /* B */
        err = pthread_cond_timedwait(&answered, &m, &until);
    if (err == ETIMEDOUT)
        is_open = 0;
    else
        received++;
    pthread_mutex_unlock(&m);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, server, NULL);
    call();
    pthread_join(t, NULL);
    assert(sent == received && sent + refused == 1);
    return 0;
}
