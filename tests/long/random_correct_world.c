/* random_correct_world.c: scenarios of random_correct.c with signals, time, descriptors, children. */
#include "random_correct.h"

static sigset_t waited; /* blocked everywhere: sigwait, signalfd */
static atomic_int next_signal, n_noise;
static pthread_mutex_t alarm_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n_alarms;
static sem_t alarmed;
static bool is_alarm_blocked;
static pid_t early; /* a child made before all threads */

static void on_noise(int signo) { n_noise++; }
static void on_alarm(int signo)
{
    int err = errno;
    n_alarms++;
    sem_post(&alarmed);
    errno = err;
}
static __thread volatile sig_atomic_t n_woken;
static void on_wake(int signo) { n_woken++; }

static void handle(int signo, void (*fn)(int), rng *r)
{
    struct sigaction a = {.sa_handler = fn, .sa_flags = below(r, 2) ? SA_RESTART : 0};
    OK(sigaction(signo, &a, NULL));
}

static void *in_child(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
    return NULL;
}

void world_init(rng *r)
{
    if (below(r, 6) == 0 && !(early = fork())) {
        pthread_t t[2];
        atomic_int n = 0;
        for (int i = 0; i < 2; i++)
            t[i] = start(in_child, &n);
        for (int i = 0; i < 2; i++)
            OK(pthread_join(t[i], NULL));
        _exit(n == 2 ? 0 : 1);
    }
    OK(sem_init(&alarmed, 0, 0));
    sigemptyset(&waited);
    for (int i = 0; i < 8; i++)
        sigaddset(&waited, SIGRTMIN + i);
    sigaddset(&waited, SIGUSR2);
    is_alarm_blocked = below(r, 2);
    if (is_alarm_blocked)
        sigaddset(&waited, SIGALRM);
    OK(pthread_sigmask(SIG_BLOCK, &waited, NULL));
    handle(SIGUSR1, on_noise, r);
    handle(SIGUSR2, on_wake, r);
    handle(SIGALRM, on_alarm, r);
}

void world_end(void)
{
    int status;
    if (early > 0) {
        assert(AGAIN(waitpid(early, &status, 0)) == early);
        assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* A signal for one scenario alone; 0: none is left. */
static int take_signal(void)
{
    int n = atomic_fetch_add(&next_signal, 1);
    return n < 8 ? SIGRTMIN + n : 0;
}

/* ---- cancellation ----------------------------------------------------------------------- */

static void unlock(void *arg) { OK(pthread_mutex_unlock(arg)); }
static void note(void *arg) { atomic_fetch_add((atomic_long *)arg, 1); }

static void *victim(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    struct timespec hour = {3600, 0};
    struct pollfd p = {.fd = m->fd[0], .events = POLLIN};
    char c;
    pthread_cleanup_push(note, &m->total);
    if (below(&r, 2))
        sem_post(&m->back);
    for (;;)
        switch (m->way % 8) {
        case 0:
            OK(pthread_mutex_lock(&m->lock));
            pthread_cleanup_push(unlock, &m->lock);
            m->a++;
            while (!m->is_done)
                pthread_cond_wait(&m->cond, &m->lock);
            pthread_cleanup_pop(1);
            break;
        case 1: sem_wait(&m->sem); break;
        case 2: assert(read(m->fd[0], &c, 1) == -1); break;
        case 3: pause(); break;
        case 4: nanosleep(&hour, NULL); break;
        case 5: poll(&p, 1, -1); break;
        case 6: sigtimedwait(&waited, NULL, &hour); break;
        default: pthread_testcancel(); sched_yield();
        }
    pthread_cleanup_pop(0);
    return NULL;
}

void cancel(struct team *m)
{
    pthread_t t[MOST];
    if (m->way % 8 == 6) /* it may take a signal of somebody else */
        m->way++;
    OK(pipe(m->fd));
    for (int i = 0; i < m->n; i++)
        t[i] = start(victim, m);
    nap(&m->r);
    for (int i = 0; i < m->n; i++)
        OK(pthread_cancel(t[i]));
    for (int i = 0; i < m->n; i++)
        assert(join(t[i], &m->r) == PTHREAD_CANCELED);
    assert(m->total <= m->n); /* one that was cancelled before it began has no cleanup handler */
    OK(pthread_mutex_lock(&m->lock)); /* nobody has kept it */
    OK(pthread_mutex_unlock(&m->lock));
    close(m->fd[0]);
    close(m->fd[1]);
}

/* ---- signals ---------------------------------------------------------------------------- */

static void *sleeper(void *arg)
{
    struct team *m = arg;
    sigset_t open;
    OK(pthread_sigmask(SIG_BLOCK, NULL, &open));
    sigdelset(&open, SIGUSR2);
    for (int i = 1; i <= m->rounds; i++) {
        while (n_woken < i)
            sigsuspend(&open);
        OK(sem_post(&m->back));
    }
    return NULL;
}

void thread_signals(struct team *m)
{
    pthread_t t = start(sleeper, m);
    for (int i = 0; i < m->rounds; i++) {
        nap(&m->r);
        OK(pthread_kill(t, SIGUSR2));
        assert(!AGAIN(sem_wait(&m->back)));
    }
    join(t, &m->r);
}

static void *taker(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    sigset_t set;
    siginfo_t info;
    struct timespec soon = {0, 100000};
    sigemptyset(&set);
    sigaddset(&set, m->signo);
    for (int i = 0; i < m->rounds; i++) {
        int how = (int)below(&r, 3), got = 0;
        if (how == 0) {
            OK(sigwait(&set, &got));
            m->total++;
            continue;
        }
        do
            got = how == 1 ? sigwaitinfo(&set, &info) : sigtimedwait(&set, &info, &soon);
        while (got < 0 && (errno == EINTR || errno == EAGAIN));
        assert(got == m->signo && info.si_code == SI_QUEUE && info.si_value.sival_int > 0);
        m->total++;
    }
    return NULL;
}

/* As many are queued as are taken. */
void sigwaiters(struct team *m)
{
    pthread_t t[MOST];
    if (!(m->signo = take_signal()))
        return;
    for (int i = 0; i < m->n; i++)
        t[i] = start(taker, m);
    for (int i = 0; i < m->n * m->rounds; i++) {
        OK(sigqueue(getpid(), m->signo, (union sigval){.sival_int = i + 1}));
        nap(&m->r);
    }
    for (int i = 0; i < m->n; i++)
        join(t[i], &m->r);
    assert(m->total == m->n * m->rounds);
}

static void *descriptor_reader(void *arg)
{
    struct team *m = arg;
    sigset_t set;
    struct signalfd_siginfo info;
    sigemptyset(&set);
    sigaddset(&set, m->signo);
    int fd = signalfd(-1, &set, 0), ep = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN};
    OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e));
    for (int i = 1; i <= m->rounds; i++) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (m->way % 3 == 0)
            assert(AGAIN(poll(&p, 1, -1)) == 1);
        else if (m->way % 3 == 1)
            assert(AGAIN(epoll_wait(ep, &e, 1, -1)) == 1);
        assert(AGAIN(read(fd, &info, sizeof info)) == sizeof info);
        assert(info.ssi_signo == (unsigned)m->signo);
        m->sum += info.ssi_int;
    }
    close(ep);
    close(fd);
    return NULL;
}

void signal_descriptor(struct team *m)
{
    long sum = 0;
    timer_t timer;
    if (!(m->signo = take_signal()))
        return;
    bool by_timer = below(&m->r, 3) == 0;
    pthread_t t = start(descriptor_reader, m);
    struct sigevent ev = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = m->signo, .sigev_value.sival_int = 7};
    struct itimerspec often = {{0, 200000}, {0, 100000}};
    if (by_timer) {
        OK(timer_create(CLOCK_MONOTONIC, &ev, &timer));
        OK(timer_settime(timer, 0, &often, NULL));
        sum = 7 * m->rounds;
    } else {
        for (int i = 1; i <= m->rounds; i++, sum += i - 1)
            OK(sigqueue(getpid(), m->signo, (union sigval){.sival_int = i}));
    }
    join(t, &m->r);
    if (by_timer)
        OK(timer_delete(timer));
    assert(m->sum == sum);
}

/* Interrupts whatever the others do. None is lost, as a thread is always there. */
void noisy(struct team *m)
{
    for (int i = 0; i < m->rounds; i++) {
        int before = n_noise;
        OK(kill(getpid(), SIGUSR1));
        while (n_noise == before)
            sched_yield();
        nap(&m->r);
    }
}

/* ---- time --------------------------------------------------------------------------------- */

void alarms(struct team *m)
{
    struct itimerval soon = {.it_value = {0, 100}, .it_interval = {0, below(&m->r, 2) ? 100 : 0}};
    struct itimerval never = {0};
    sigset_t open;
    OK(pthread_mutex_lock(&alarm_lock));
    int before = n_alarms;
    while (!sem_trywait(&alarmed)) {}
    if (below(&m->r, 3))
        OK(setitimer(ITIMER_REAL, &soon, NULL));
    else
        alarm(1);
    OK(pthread_sigmask(SIG_BLOCK, NULL, &open));
    sigdelset(&open, SIGALRM);
    if (is_alarm_blocked)
        while (n_alarms == before)
            sigsuspend(&open);
    else if (m->way % 2)
        assert(!AGAIN(sem_wait(&alarmed)));
    else
        while (n_alarms == before)
            sched_yield();
    OK(setitimer(ITIMER_REAL, &never, NULL));
    OK(pthread_mutex_unlock(&alarm_lock));
}

static void on_tick(union sigval v)
{
    struct team *m = v.sival_ptr;
    OK(sem_post(&m->sem));
}

void timers(struct team *m)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec often = {{0, 300000}, {0, 200000}};
    uint64_t n;
    long sum = 0;
    OK(timerfd_settime(fd, 0, &often, NULL));
    while (sum < m->rounds) {
        assert(AGAIN(read(fd, &n, sizeof n)) == sizeof n && n > 0);
        sum += (long)n;
    }
    close(fd);
    timer_t timer;
    struct itimerspec once = {{0, 0}, {0, 200000}};
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_tick,
                          .sigev_value.sival_ptr = m};
    OK(timer_create(CLOCK_REALTIME, &ev, &timer));
    OK(timer_settime(timer, 0, &once, NULL));
    assert(!AGAIN(sem_wait(&m->sem)));
    OK(timer_delete(timer));
}

void sleeps(struct team *m)
{
    struct timespec before, after, until;
    for (int i = 0; i < m->rounds; i++) {
        long us = 1 + below(&m->r, 2000);
        clock_gettime(CLOCK_MONOTONIC, &before);
        until = in(CLOCK_MONOTONIC, us);
        if (m->way % 2) {
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
        } else {
            struct timespec rest = {0, us * 1000};
            while (nanosleep(&rest, &rest)) {}
        }
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert((after.tv_sec - before.tv_sec) * 1000000000l + after.tv_nsec - before.tv_nsec >= us * 1000);
    }
}

/* ---- descriptors and children ------------------------------------------------------------- */

static void *writer(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (int i = 0; i < m->rounds; i++) {
        assert(AGAIN(write(m->fd[1], "abcd", 4)) == 4);
        nap(&r);
    }
    return NULL;
}

static void *reader(void *arg)
{
    struct team *m = arg;
    char text[64];
    long n;
    struct pollfd p = {.fd = m->fd[0], .events = POLLIN};
    for (;;) {
        if (m->way % 2)
            while (AGAIN(poll(&p, 1, 1)) == 0) {}
        if ((n = AGAIN(read(m->fd[0], text, sizeof text))) == 0)
            return NULL;
        assert(n > 0);
        m->sum += n;
    }
}

void pipes(struct team *m)
{
    if (m->way % 3)
        OK(pipe(m->fd));
    else
        OK(socketpair(AF_UNIX, SOCK_STREAM, 0, m->fd));
    pthread_t t = start(reader, m);
    all(m, writer);
    OK(m->way % 3 ? close(m->fd[1]) : shutdown(m->fd[1], SHUT_WR));
    join(t, &m->r);
    if (m->way % 3 == 0)
        close(m->fd[1]);
    close(m->fd[0]);
    assert(m->sum == 4 * m->n * m->rounds);
}

static void *waiter(void *arg)
{
    struct team *m = arg;
    struct epoll_event e;
    uint64_t n;
    for (int i = 0; i < m->rounds; i++) {
        for (;;) {
            if (m->way % 2)
                AGAIN(epoll_wait(m->fd[1], &e, 1, -1));
            long r = AGAIN(read(m->fd[0], &n, sizeof n));
            if (r == sizeof n)
                break;
            assert(r == -1 && errno == EAGAIN); /* another one was faster */
            sched_yield();
        }
        assert(n == 1);
        m->total++;
    }
    return NULL;
}

/* An eventfd as a semaphore. */
void events(struct team *m)
{
    pthread_t t[MOST];
    uint64_t n;
    struct epoll_event e = {.events = EPOLLIN};
    m->fd[0] = eventfd(0, EFD_SEMAPHORE | (m->way % 2 ? EFD_NONBLOCK : 0));
    m->fd[1] = epoll_create1(0);
    OK(epoll_ctl(m->fd[1], EPOLL_CTL_ADD, m->fd[0], &e));
    for (int i = 0; i < m->n; i++)
        t[i] = start(waiter, m);
    for (int left = m->n * m->rounds; left; left -= (int)n) {
        n = 1 + below(&m->r, (unsigned)left);
        assert(AGAIN(write(m->fd[0], &n, sizeof n)) == sizeof n);
        nap(&m->r);
    }
    for (int i = 0; i < m->n; i++)
        join(t[i], &m->r);
    close(m->fd[0]);
    close(m->fd[1]);
    assert(m->total == m->n * m->rounds);
}

void children(struct team *m)
{
    int fd[2], status;
    char c = 0;
    OK(pipe(fd));
    pid_t pid = fork();
    assert(pid >= 0);
    if (!pid) {
        if (write(fd[1], "x", 1) != 1)
            _exit(99);
        _exit(m->rounds);
    }
    close(fd[1]);
    assert(AGAIN(read(fd[0], &c, 1)) == 1 && c == 'x');
    assert(AGAIN(waitpid(pid, &status, 0)) == pid);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == m->rounds);
    close(fd[0]);
}

static void *print(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (int i = 0; i < m->rounds; i++) {
        if (below(&r, 2)) {
            flockfile(m->file);
            fputs("one ", m->file);
            fputs("line\n", m->file);
            funlockfile(m->file);
        } else {
            fprintf(m->file, "one %s\n", "line");
        }
        nap(&r);
    }
    return NULL;
}

void streams(struct team *m)
{
    char *text = NULL, *at;
    size_t size;
    m->file = open_memstream(&text, &size);
    all(m, print);
    OK(fclose(m->file));
    int n = 0;
    for (at = text; *at; at += 9, n++)
        assert(!strncmp(at, "one line\n", 9));
    assert(n == m->n * m->rounds);
    free(text);
}
