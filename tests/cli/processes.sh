#!/usr/bin/env bash
# Several processes of a command are controlled in one run: each has its own schedule and record, the
# report says which failed, replays follow all of them, and their clocks agree.
. "$(dirname "$0")/lib.bash"
racy_c
correct_c
latest=.heddle/findings/latest/replay.heddle
again() { # again "what" [TIMES]: replays of the latest finding
    heddle replay --times "${2:-20}" $latest
    expect 66 "$1: replayed" "as recorded, ${2:-20} of ${2:-20}"
}
script() { # script NAME 'lines'
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
# Processes that run a file of this folder.
left() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c -- "-> $PWD/"; }
none_left() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(left)" = 0 ] && return 0
        sleep 0.2
    done
    return 1
}

# ---- two at the same time ------------------------------------------------------------------

cp racy racy_too
cp correct correct_too
script two.sh './racy & ./racy_too & wait'
heddle test --runs 100 --seed 1 --no-minimize --json r.json -- ./two.sh
expect 66 "two racy programs at the same time" "counter == 6.*It is the process (racy|racy_too) of the command; controlled as well: (racy|racy_too)[.].*2 processes are controlled in each run"
check "both are in the JSON" jq -e '.findings[0].processes | sort == ["racy", "racy_too"]' r.json
check "the record of the other lies beside it" test -s .heddle/findings/latest/replay.1.heddle
check "and is named in the README" grep -q 'replay.1.heddle.*another process of the run' .heddle/findings/latest/README
again "two racy programs"
(cd / && "$HEDDLE" replay "$OLDPWD/$latest") >out 2>err
rc=$?
expect 66 "from any folder" "failed as recorded"
mv .heddle/findings/latest/replay.1.heddle kept
heddle replay $latest
expect 66 "a record that is missing is said" "replay.1.heddle, the record of another process of the run, is missing: that process runs freely"
echo damaged >.heddle/findings/latest/replay.1.heddle
heddle replay $latest
expect 99 "one that is damaged is refused" "replay.1.heddle"
rm -rf .heddle
heddle test --runs 100 --seed 1 -- ./two.sh
expect 66 "a smaller schedule" "counter == 6"
again "a smaller schedule"
check "the longer one has records of its own" test -s .heddle/findings/latest/original.1.heddle
heddle replay --times 5 .heddle/findings/latest/original.heddle
expect 66 "and is replayed as well" "as recorded, 5 of 5"
rm -rf .heddle

# The one that the campaign is not about fails: its program, its record.
script beside.sh './correct & ./racy & wait'
heddle test --runs 200 --seed 1 --no-minimize --json r.json -- ./beside.sh
expect 66 "the other one fails" "counter == 6.*It is the process racy of the command; controlled as well: correct[.]"
check "the program of the finding is the one that failed" jq -e '.findings[0].program | test("/racy$")' r.json
check "so is that of the record" grep -q '^program ".*/racy"' $latest
again "the other one"
rm -rf .heddle
heddle test --runs 20 --seed 1 --program correct -- ./beside.sh
expect 0 "--program: that one alone" " 20 runs in"
check "nothing is said of others" test "$(grep -c 'are controlled in each run' err)" = 0
heddle test --runs 200 --seed 1 --no-minimize --program correct --program racy -- ./beside.sh
expect 66 "--program several times" "counter == 6.*2 processes are controlled in each run"
rm -rf .heddle
heddle test --runs 20 --seed 1 --one-process --program correct --program racy -- ./beside.sh
check "--one-process" test "$(grep -c 'are controlled in each run' err)" = 0
rm -rf .heddle
script fine.sh './correct & ./correct_too & wait'
heddle test --runs 30 --seed 1 -- ./fine.sh
expect 0 "programs without a bug" " 30 runs in.* 30 runs in"

# ---- a pipeline: the bug needs a schedule of both ---------------------------------------------

cat >producer.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *put(void *arg)
{
    return write(1, arg, 1) == 1 ? arg : 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, put, "a");
    pthread_create(&b, 0, put, "b");
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
cat >consumer.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int is_ready;
static void *get_ready(void *arg)
{
    is_ready = 1;
    return arg;
}
static void *take(void *arg)
{
    char first = 0, second = 0;
    if (read(0, &first, 1) == 1 && read(0, &second, 1) == 1)
        assert(first != 'b' || is_ready);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, get_ready, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
build producer
build consumer
script pipe.sh './producer | ./consumer'
heddle test --runs 1000 --seed 1 --no-minimize -- ./pipe.sh
expect 66 "a pipeline whose bug needs both" "first != 'b' .. is_ready.*It is the process consumer of the command; controlled as well: producer"
again pipeline
timeout 100 "$HEDDLE" replay --gdb $latest -- -batch -ex run -ex 'heddle back' -ex continue >out 2>err
rc=$?
expect 0 "a pipeline in gdb: the producer follows its record" "SIGABRT.*in take .*consumer.c.*Step [0-9]+ of.*SIGABRT.*in take "
sed -i 's/^pick .*/pick 1 1 - 0000000000000000/' .heddle/findings/latest/replay.1.heddle
heddle replay $latest
expect 99 "a record of the other that was changed" "replay.1.heddle is damaged"
rm -rf .heddle

# ---- three forked children, each knows its number ---------------------------------------------

cat >prefork.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int counter, number;
static void *add(void *arg)
{
    for (int i = 0; i < 2 + number; i++)
        counter++;
    return arg;
}
static void work(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(number != 1 || counter == 2 * (2 + number)); /* the second alone fails */
    exit(0);
}
int main(void)
{
    int bad = 0, status;
    for (number = 0; number < 3; number++)
        if (fork() == 0)
            work();
    while (wait(&status) > 0)
        bad |= status;
    return bad != 0;
}
C
build prefork
heddle test --runs 200 --seed 1 --no-minimize --json r.json -- ./prefork
expect 66 "a server that forks three" 'It is the process prefork \(forked\), number .*prefork \(forked\): instrumented, makes threads, 3 times.*3 processes are controlled'
check "with the records of two others" test -s .heddle/findings/latest/replay.2.heddle
again "three forked children"
rm -rf .heddle

# ---- time ---------------------------------------------------------------------------------------

cat >ticker.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bad;
static void *tick(void *arg)
{
    struct timespec t[2], pause = {0, 20000000};
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        for (int k = 0; k < 200; k++) { /* reads alone do not make it run ahead of others */
            clock_gettime(CLOCK_MONOTONIC, &t[0]);
            clock_gettime(CLOCK_REALTIME, &t[1]);
        }
        bad |= write(1, t, sizeof t) != sizeof t;
        pthread_mutex_unlock(&lock);
        nanosleep(&pause, 0);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 0); /* before the others are there, if it is first */
    pthread_create(&a, 0, tick, 0);
    pthread_create(&b, 0, tick, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return bad;
}
C
cat >checker.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_not_before(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec >= b.tv_nsec;
}
static void *check(void *arg)
{
    struct timespec t[2], now[2];
    for (;;) {
        pthread_mutex_lock(&lock);
        int is_end = read(0, t, sizeof t) != sizeof t;
        pthread_mutex_unlock(&lock);
        if (is_end)
            return arg;
        clock_gettime(CLOCK_MONOTONIC, &now[0]);
        clock_gettime(CLOCK_REALTIME, &now[1]);
        assert(is_not_before(now[0], t[0]));
        assert(is_not_before(now[1], t[1]));
    }
}
static void *watchdog(void *arg)
{
    sleep(60);
    abort();
    return arg;
}
int main(void)
{
    pthread_t a, b, dog;
    pthread_create(&dog, 0, watchdog, 0);
    pthread_create(&a, 0, check, 0);
    pthread_create(&b, 0, check, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    _exit(0);
}
C
build ticker
build checker
script time.sh './ticker | ./checker'
heddle test --runs 20 --seed 1 --max-delay 1ms -- ./time.sh
expect 0 "clocks agree, and a watchdog does not fire because another process takes 0.3 s" " 20 runs in.* 20 runs in"
script file.sh './ticker 2 >times; ./checker <times'
heddle test --runs 10 --seed 1 --max-delay 1ms --no-minimize -- ./file.sh
expect 0 "the clock goes on in a process that is started later" " 10 runs in.* 10 runs in"
check "and nobody sleeps for real while it is alone: 20 s otherwise" awk '/10 runs in/ && $5 < 18 { n++ } END { exit n < 1 }' err
script free.sh './ticker | (sleep 0.3; ./checker)'
heddle test --runs 3 --seed 1 --max-delay 1ms -- ./free.sh
expect 0 "with one that is not controlled between them" " 3 runs in"

# Who comes first sleeps until the other one, which is on its way, is ready.
for name in maker taker; do
    cat >$name.c <<C
#include <pthread.h>
#include <unistd.h>
#include <fcntl.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n, bad;
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    if (!n++)
        $([ $name = maker ] && echo 'bad = close(open("made", O_CREAT | O_WRONLY, 0600)) != 0;' ||
          echo 'sleep(1), bad = access("made", F_OK) != 0;')
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return bad;
}
C
    build $name
done
script ready.sh 'rm -f made
(sleep 0.2; ./maker) & ./taker || exit 1
wait'
heddle test --runs 5 --seed 1 --max-delay 1ms -- ./ready.sh
expect 0 "a sleep until another process is ready" " 5 runs in.* 5 runs in"
check "no run failed" test "$(grep -c 'the command failed' err)" = 0

# ---- what goes wrong -----------------------------------------------------------------------------

cat >waits.c <<'C'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *wait_for_ever(void *arg)
{
    char c;
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    for (;;)
        if (read(0, &c, 1) == 0)
            pause();
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, wait_for_ever, 0);
    pthread_create(&b, 0, wait_for_ever, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
build waits
mkfifo fifo
script killed.sh './correct
sleep 60.17 >fifo & ./waits <fifo & w=$!
sleep 0.3
kill -9 $w
wait $w
kill %1
exit 0'
heddle test --runs 5 --seed 1 --timeout 20 -- ./killed.sh
expect 98 "one that is killed by the command" "testing .*/correct.* 5 runs in.*testing .*/waits.*waits was killed by another process of the command"
check "nothing is left of it" none_left
script background.sh './waits </dev/null & ./correct'
heddle test --runs 5 --seed 1 --timeout 20 -- ./background.sh
expect 0 "one that is still there when the command ends" " 5 runs in"
check "nothing is left of it" none_left
script left.sh '(mkdir was || sleep 0.4; exec ./waits </dev/null) & ./correct; sleep 0.2'
heddle test --runs 3 --seed 1 --timeout 20 --program waits -- ./left.sh
expect 0 "one that comes after the command has ended" "testing .*/waits.* 3 runs in"
script only.sh '(sleep 0.1; exec ./waits </dev/null) &'
heddle test --runs 3 --seed 1 --timeout 20 -- ./only.sh
expect 0 "one that is all there is, and comes after the command has ended" "testing .*/waits.* 3 runs in"
check "nothing is left of them" none_left
script never.sh './correct; ./waits </dev/null'
heddle test --runs 2 --seed 1 --timeout 2 -- ./never.sh
expect 98 "one that never ends, in time and in words" "did not end within 2 s"
script later.sh './correct
if mkdir seen; then ./waits </dev/null & sleep 0.5; kill -9 $!; else ./waits </dev/null; fi'
heddle test --runs 2 --seed 1 --timeout 2 -- ./later.sh
expect 98 "one that never ends under control" "2 runs took longer than 2 s|2 of 2 runs"
check "nothing is left of it" none_left
cat >forks_on.c <<'C'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void *add(void *arg)
{
    pid_t pid = fork();
    if (!pid) {
        execlp("sleep", "sleep", "60.18", (char *)0);
        _exit(1);
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
build forks_on
script forks.sh './forks_on & ./correct; wait'
heddle test --runs 4 --seed 1 --timeout 20 -- ./forks.sh
expect 0 "one that forks on" " 4 runs in"
check "nothing is left of it" none_left
# A test that needs a terminal gets none, and is told how to have one.
cat >terminal.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc > 1 && open(argv[1], O_RDWR) < 0)
        return perror(argv[1]), 1;
    if (argc == 1 && !isatty(0))
        return fprintf(stderr, "stdin is not a terminal\n"), 1;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
build terminal
script opens.sh './terminal /dev/tty'
script asks.sh './terminal'
for s in opens asks; do
    heddle test --runs 3 --seed 1 -- ./$s.sh
    expect 98 "a test that needs a terminal: $s" "it said: .*It has no terminal here: give it one with heddle test -- script -qec"
    heddle test --runs 3 --seed 1 -- script -qec ./$s.sh /dev/null
    expect 0 "... with one: $s" " 3 runs in"
done
heddle test --runs 3 -- ./terminal
expect 98 "a program that needs a terminal" "stdin is not a terminal.*ended with status 1 before it had a second thread"
check "nor a sleep" test "$(pgrep -fc '^sleep 60[.]1[78]')" = 0
finish
