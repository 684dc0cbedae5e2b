#!/usr/bin/env bash
# Input from other processes: a replay waits for what came in the recorded run.
. "$(dirname "$0")/lib.bash"
cat >reader.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd, got, rounds;
static void *take(void *arg)
{
    char c;
    while (read(fd, &c, 1) == 1) {
        pthread_mutex_lock(&lock);
        got++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    fd = open(argv[1], O_RDONLY);
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return got == 4 && rounds == 20 ? 0 : 1;
}
END
build reader
mkfifo fifo
printf abcd >fifo &
heddle run --seed 1 -- ./reader fifo
expect 0 "a run fed by another process" "the run was clean"
wait
for pause in 0.03 0.3; do
    (exec 3>fifo && sleep $pause && printf ab >&3 && sleep $pause && printf cd >&3) &
    heddle replay .heddle/last.heddle
    expect 0 "fed late, by $pause s" "as recorded"
    wait
done

# In the same pieces, by whatever call, and however they come this time.
cat >pieces.c <<'END'
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd, got, rounds;
static const char *how;
static void ready(void)
{
    static int ep;
    struct pollfd p = {fd, POLLIN, 0};
    struct epoll_event ev = {EPOLLIN | EPOLLET, {0}};
    fd_set set;
    if (!strcmp(how, "poll"))
        poll(&p, 1, -1);
    if (!strcmp(how, "select")) {
        FD_ZERO(&set);
        FD_SET(fd, &set);
        select(fd + 1, &set, 0, 0, 0);
    }
    if (!strcmp(how, "epoll")) {
        if (!ep) {
            ep = epoll_create1(0);
            epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
        }
        epoll_wait(ep, &ev, 1, -1);
    }
}
static void *take(void *arg)
{
    char buf[64];
    ssize_t n;
    do {
        ready();
        while ((n = read(fd, buf, sizeof buf)) > 0) { /* until nothing is left */
            pthread_mutex_lock(&lock);
            got += n;
            pthread_mutex_unlock(&lock);
        }
    } while (n < 0);
    return arg;
}
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    how = argv[2];
    fd = open(argv[1], O_RDONLY);
    if (strcmp(how, "read"))
        fcntl(fd, F_SETFL, O_NONBLOCK);
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return got == 6 && rounds == 20 ? 0 : 1;
}
END
build pieces
slowly() { (exec 3>fifo; for c in ab c def; do sleep 0.1; printf $c >&3; done; sleep 0.1); }
at_once() { (exec 3>fifo; printf abcdef >&3); }
late() { (exec 3>fifo; sleep 0.1; printf abcde >&3; sleep 0.1; printf f >&3); }
for how in read poll select epoll; do
    for recorded in slowly at_once; do
        $recorded &
        heddle run --dir pieces.d --seed 2 -- ./pieces fifo $how
        expect 0 "fed $recorded: $how" "the run was clean"
        wait
        for replayed in slowly at_once late; do
            $replayed &
            heddle replay pieces.d/last.heddle
            expect 0 "... and $replayed in the replay" "as recorded"
            wait
        done
    done
done

# Standard input belongs to the recorded run, whether it failed or not.
cat >lines.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *arg)
{
    int c;
    pthread_mutex_lock(&lock);
    while ((c = getchar()) != EOF)
        n++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return argc > 1 || n != 12;
}
END
build lines
heddle run --seed 1 -- ./lines <<<"hello world"
expect 0 "a run with standard input" "the run was clean"
heddle replay .heddle/last.heddle
expect 0 "which a replay is given again" "as recorded"
heddle run --seed 1 -- ./lines fail <<<"hello world"
expect 66 "a failing run with standard input"
heddle replay .heddle/last.heddle
expect 66 "which a replay of that is given as well" "as recorded"
heddle replay .heddle/findings/latest/replay.heddle
expect 66 "... by its finding, too" "as recorded"
heddle replay <(cat .heddle/last.heddle)
expect 99 "a replay file that is none" "it is no regular file"
finish
