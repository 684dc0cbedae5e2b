/* SIGEV_THREAD: threads that libc makes for notifications take no signals of the program
 * text:   the library's own threads are not seen: a signal to the process goes to a thread of
 *         the program that has not blocked it
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t taken, done;
static pthread_t main_thread;
static atomic_int wrong;

static void handler(int signo)
{
    int err = errno;
    if (!pthread_equal(pthread_self(), main_thread))
        wrong = 1;
    sem_post(&taken);
    errno = err;
}

static void notify(union sigval v) { OK(sem_post(&done)); }

static void *wait_taken(void *unused)
{
    while (sem_wait(&taken))
        IS(errno, EINTR);
    return NULL;
}

/* The only other thread has SIGUSR1 blocked. */
static void send_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    pthread_t t = start(wait_taken, NULL);
    OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
    OK(kill(getpid(), SIGUSR1));
    join(t);
    OK(wrong);
}

int main(void)
{
    char name[64], buf[1];
    int fds[2];
    timer_t timer;
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
    main_thread = pthread_self();
    OK(sem_init(&taken, 0, 0));
    OK(sem_init(&done, 0, 0));
    OK(sigaction(SIGUSR1, &a, NULL));
    OK(timer_create(CLOCK_REALTIME, &ev, &timer));
    send_signal();
    OK(timer_delete(timer));

    OK(pipe(fds));
    struct aiocb r = {.aio_fildes = fds[0], .aio_buf = buf, .aio_nbytes = 1, .aio_sigevent = ev};
    OK(aio_read(&r));
    send_signal();
    IS(write(fds[1], "x", 1), 1);
    OK(sem_wait(&done));
    IS(aio_return(&r), 1);

    snprintf(name, sizeof name, "/heddle-posix-tts-%d", (int)getpid());
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL);
    TRUE(q != (mqd_t)-1);
    OK(mq_unlink(name));
    OK(mq_notify(q, &ev));
    send_signal();
    OK(mq_send(q, "x", 1, 0));
    OK(sem_wait(&done));
    OK(mq_close(q));
    return 0;
}
