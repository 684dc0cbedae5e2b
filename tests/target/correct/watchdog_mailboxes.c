/* Threads with mailboxes (a queue and an eventfd each), a sleep, and an alarm that ends who hangs
 * cause:    none: nothing takes anywhere near as long as the alarm
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WORKERS 2
#define LETTERS 4

struct mailbox {
    pthread_mutex_t lock;
    int fd, n, letter[LETTERS + 1];
};
static struct mailbox mine, worker[WORKERS];

static void send_to(struct mailbox *m, int letter)
{
    uint64_t one = 1;
    pthread_mutex_lock(&m->lock);
    m->letter[m->n++] = letter;
    pthread_mutex_unlock(&m->lock);
    assert(write(m->fd, &one, sizeof one) == sizeof one);
}

static int take(struct mailbox *m)
{
    uint64_t n;
    assert(read(m->fd, &n, sizeof n) == sizeof n);
    pthread_mutex_lock(&m->lock);
    int letter = m->letter[0];
    m->n--;
    for (int i = 0; i < m->n; i++)
        m->letter[i] = m->letter[i + 1];
    pthread_mutex_unlock(&m->lock);
    return letter;
}

static void *work(void *arg)
{
    struct mailbox *m = arg;
    int poller = epoll_create1(0), letter;
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, m->fd, &e);
    do {
        assert(epoll_wait(poller, &e, 1, -1) == 1);
        letter = take(m);
        send_to(&mine, letter);
    } while (letter);
    close(poller);
    return NULL;
}

static int receive(void)
{
    struct pollfd p = {.fd = mine.fd, .events = POLLIN};
    assert(poll(&p, 1, -1) == 1);
    return take(&mine);
}

int main(void)
{
    pthread_t t[WORKERS];
    int sum = 0;
    alarm(60);
    mine = (struct mailbox){.lock = PTHREAD_MUTEX_INITIALIZER, .fd = eventfd(0, EFD_SEMAPHORE)};
    for (int i = 0; i < WORKERS; i++) {
        worker[i] = (struct mailbox){.lock = PTHREAD_MUTEX_INITIALIZER, .fd = eventfd(0, EFD_SEMAPHORE)};
        pthread_create(&t[i], NULL, work, &worker[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        send_to(&worker[i], i + 1);
    usleep(300000);
    for (int i = 0; i < WORKERS; i++)
        sum += receive();
    for (int i = 0; i < WORKERS; i++) {
        send_to(&worker[i], 0);
        sum += receive();
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    assert(sum == 3);
    return 0;
}
