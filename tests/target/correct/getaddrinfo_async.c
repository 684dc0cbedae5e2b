/* Names resolved by threads of libc, waited for and told by a call
 * cause:    none: results are used when their requests have ended
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

static sem_t done;

static void on_done(union sigval v) { sem_post(&done); }

static struct gaicb *request(const char *name)
{
    static struct gaicb list[2];
    static struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_family = AF_INET};
    static int n;
    struct gaicb *r = &list[n++];
    r->ar_name = name;
    r->ar_request = &hints;
    return r;
}

int main(void)
{
    struct gaicb *one = request("127.0.0.1"), *two = request("10.0.0.1");
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_done};
    sem_init(&done, 0, 0);
    assert(getaddrinfo_a(GAI_WAIT, &one, 1, NULL) == 0);
    assert(gai_error(one) == 0 && one->ar_result);
    freeaddrinfo(one->ar_result);
    assert(getaddrinfo_a(GAI_NOWAIT, &two, 1, &ev) == 0);
    sem_wait(&done);
    assert(gai_error(two) == 0 && two->ar_result);
    freeaddrinfo(two->ar_result);
    return 0;
}
