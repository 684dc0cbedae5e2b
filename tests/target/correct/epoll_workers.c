/* Two workers wait for one epoll set with one-shot events
 * cause:    none: a descriptor belongs to the worker that was told of it until it arms it again
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set, jobs, over;
static _Atomic int done;

static void *worker(void *arg)
{
    for (;;) {
        struct epoll_event e;
        if (epoll_wait(set, &e, 1, -1) != 1)
            continue;
        if (e.data.fd == over)
            return arg;
        eventfd_t n;
        if (!eventfd_read(jobs, &n))
            done++;
        e = (struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.fd = jobs};
        epoll_ctl(set, EPOLL_CTL_MOD, jobs, &e);
    }
}

int main(void)
{
    pthread_t t[2];
    set = epoll_create1(0);
    jobs = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
    over = eventfd(0, 0);
    struct epoll_event a = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = jobs};
    struct epoll_event b = {.events = EPOLLIN, .data.fd = over};
    epoll_ctl(set, EPOLL_CTL_ADD, jobs, &a);
    epoll_ctl(set, EPOLL_CTL_ADD, over, &b);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        eventfd_write(jobs, 1);
    while (done < 4)
        usleep(1000);
    eventfd_write(over, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(done == 4);
    return 0;
}
