#!/usr/bin/env bash
# Scripts: a server driven by uncontrolled clients. The example is found and
# replayed; what is wrong with a script is said with its line; whatever hangs is
# killed, and nothing is left.
. "$(dirname "$0")/lib.bash"

cp "$ROOT"/examples/echo_server/*.c "$ROOT"/examples/echo_server/test.toml .
build echo_server
gcc -g echo_client.c -o echo_client
latest=.heddle/findings/latest
tmps() { ls -d "${TMPDIR:-/tmp}"/heddle-* 2>/dev/null | wc -l; }
export TMPDIR=$PWD/tmpdir
mkdir tmpdir
# Processes that run a file of this folder, or a sleep of ours.
left() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c -- "-> $PWD/"; }
sleeps() { pgrep -fc '^sleep 61[.]3[0-9]'; }
none_left() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(left)" = 0 ] && [ "$(sleeps)" = 0 ] && [ "$(tmps)" = 0 ] && return 0
        sleep 0.2
    done
    left; sleeps; tmps
    return 1
}

# ran "what" PATTERN: no finding; with so few runs it is chance whether two threads
# were there and able to run at once, which is status 98 if they were not.
ran() {
    [ "$rc" != 98 ] || ! grep -q "nothing was tested" err || rc=0
    expect 0 "$@"
}

# ---- the example ---------------------------------------------------------------------

heddle test --script test.toml --seed 1 --strategy random --json r.json two
expect 66 "the race is found by a driver" \
    'The driver `./echo_client .\{port\} 2 1` ended with status 1: echo_client: got "1" *instead of "2"'
check "kind check" test "$(jq -r '.findings[0].kind' r.json)" = check
check "it was replayed with the driver" jq -e '.findings[0] | .tried > 0 and .reproduced == .tried' r.json
check "the script is saved" cmp -s test.toml $latest/script.toml
check "and what the driver printed" grep -q 'got "1" instead of "2"' $latest/script.log
check "and for which input" grep -qx 'input = "two"' $latest/script.run
check "what is not controlled is said" grep -q "Not controlled: data or timing came from another process" $latest/report.txt
mv test.toml moved.toml
heddle replay --times 3 $latest/replay.heddle
expect 66 "replay runs the driver again" "failed as recorded, 3 of 3"
mv moved.toml test.toml
(cd / && "$HEDDLE" replay "$OLDPWD/$latest/replay.heddle") >out 2>err
rc=$?
expect 66 "from any folder" "failed as recorded"
heddle test --script test.toml --seed 1 -k --runs 60 --strategy random --no-minimize --json r.json
expect 66 "all inputs, one after the other" "input two:.*input processes:"
check "a result for each input" jq -es 'length == 2 and .[0].runs == 60 and .[1].runs == 60' r.two.json r.processes.json
heddle test --script test.toml -j 2 --seed 1 --runs 60 -k --strategy random --no-minimize two
expect 66 "two workers, each with a port of its own" " 60 runs in"
heddle coverage --json -
check "inputs are told apart in the store" jq -e \
    '[.campaigns[].arguments] | (unique | length) == 2 and all(test("input="))' out
check "nothing is left" none_left

# ---- one phase after the other ----------------------------------------------------------

cat >phases.toml <<'TOML'
setup = 'echo "setup $HEDDLE_RUN $HEDDLE_INPUT" >>log; cd "$HEDDLE_TMP" && test -z "$(ls)" && touch x; sleep 61.37 &'
check = 'echo "check $HEDDLE_PORT" >>log; kill -0 $HEDDLE_PID && grep -q ready $HEDDLE_STDOUT'
teardown = 'echo teardown >>log; test -e "$HEDDLE_TMP/x"; pgrep -f "^sleep 61[.]37" >/dev/null'
[program]
path = "./echo_server"
args = ["${port}"]
[options]
runs = 3
strategy = "random"
[ready]
output = "^ready on port [0-9]+$"
[drive]
command = ["./echo_client", "${port}", "2", "1", "0"]
TOML
heddle test --script phases.toml
ran "setup, check and teardown" "up to 3 runs.* 3 runs in"
check "in their order" bash -c '[ "$(sed "s/check [0-9][0-9]*/check N/" log | tr "\n" " ")" = \
    "setup 0 default check N teardown setup 1 default check N teardown setup 2 default check N teardown " ]'
check "what setup left running lives until the end of the run" none_left
heddle test --script phases.toml --runs 1
ran "the command line wins" " 1 run in"

cat >plain.c <<'CODE'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *add(void *arg) { x++; return arg; }
int main(int argc, char **argv)
{
    pthread_t a, b;
    char line[64] = "";
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (argc > 1 && fgets(line, sizeof line, stdin))
        printf("%s %s %s\n", argv[1], getenv("GREETING"), line);
    return argc > 2 ? atoi(argv[2]) : 0;
}
CODE
build plain
cat >ends.toml <<'TOML'
[program]
path = "./plain"
env = { GREETING = "good ${HELLO:-day}" }
stdin = "of the file\n"
[options]
runs = 2
strategy = "random"
[check]
command = 'cat $HEDDLE_STDOUT; grep -qx "word good day of the $HEDDLE_INPUT" $HEDDLE_STDOUT'
[[input]]
name = "file"
args = ["word"]
[[input]]
name = "input"
args = ["word"]
stdin = "of the input\n"
[[input]]
name = "status"
args = ["word", "3"]
check = "true"
TOML
heddle test --script ends.toml file input
expect 0 "a program that ends by itself: stdin, env, check after its end"
heddle test --script ends.toml status
expect 66 "its status" "ended with exit status 3|exit.* 3"
heddle test --script ends.toml --exit-ok 3 status
expect 0 "unless it is fine"

# ---- what goes wrong -------------------------------------------------------------------

# bad NAME PATTERN: the script in standard input is refused with that line.
bad() {
    cat >bad.toml
    heddle test --script bad.toml
    if [ "${3-}" = ran ]; then ran "$1" "$2"; else expect "${3:-64}" "$1" "$2"; fi
}
bad "no TOML" "bad.toml:2: " <<<$'[program]\npath = '
bad "no program" "bad.toml: the section .program." <<<$'[options]\nruns = 3'
bad "an unknown section" "bad.toml:3: unknown key 'redy' in a script" <<<$'[program]\npath = "./plain"\n[redy]\ntcp = 1'
bad "an unknown key" "bad.toml:4: unknown key 'comand' in .drive., which knows command" \
    <<<$'[program]\npath = "./plain"\n[drive]\ncomand = "true"'
bad "a wrong type" "bad.toml:3: args wants a list" <<<$'[program]\npath = "./plain"\nargs = "x"'
bad "an unknown name" "bad.toml:3: ..NOPE_NOT_SET. is none of port" <<<$'[program]\npath = "./plain"\nargs = ["${NOPE_NOT_SET}"]'
bad "a run's number in the arguments" "bad.toml:3: ..run. is not known here" <<<$'[program]\npath = "./plain"\nargs = ["${run}"]'
bad "a wrong time" "bad.toml:5: timeout wants a time" <<<$'[program]\npath = "./plain"\n[drive]\ncommand = "true"\ntimeout = "soon"'
bad "a wrong option" "bad.toml:4: unknown option .*: did you mean --strategy" <<<$'[program]\npath = "./plain"\n[options]\nstrateggy = "pct"'
bad "a wrong value of an option" "bad.toml:4: --runs wants a number" <<<$'[program]\npath = "./plain"\n[options]\nruns = "many"'
bad "two ways to be ready" "bad.toml:5: .ready. wants one of" <<<$'[program]\npath = "./plain"\n[ready]\ntcp = 80\nunix = "x"'
bad "a wrong pattern" "bad.toml:4: output is no regular expression" <<<$'[program]\npath = "./plain"\n[ready]\noutput = "(["'
bad "a wrong signal" "bad.toml:4: signal wants a name" <<<$'[program]\npath = "./plain"\n[stop]\nsignal = "SIGNOPE"'
bad "two inputs of one name" "bad.toml:5: the name 'a' is taken by the input in line 3" \
    <<<$'[program]\npath = "./plain"\n[[input]]\nname = "a"\n[[input]]\nname = "a"'
bad "a missing program" "bad.toml:2: .*no_such_server does not exist" 99 <<<$'[program]\npath = "./no_such_server"'
heddle test --script nothing_here.toml
expect 64 "a missing script" "cannot read the script nothing_here.toml"
heddle test --script test.toml nope
expect 64 "a missing input" "test.toml has no input 'nope', but two, processes"

server='[program]
path = "./echo_server"
args = ["${port}"]
[options]
runs = 3
strategy = "random"
minimize_time = "100ms"
'
bad "never ready" "bad.toml:8: the program was never ready in 0.3 s: nobody listens on TCP port 1; it printed: ready on port" 99 \
    <<<"$server"$'[ready]\ntcp = 1\ntimeout = "300ms"\n[drive]\ncommand = "true"'
check "is killed" none_left
bad "ends before it is ready" "bad.toml:5: the program ended with status 3 before it was ready .*word" 99 \
    <<<$'[program]\npath = "./plain"\nargs = ["word", "3"]\nstdin = "x"\n[ready]\ntcp = 1'
bad "a driver that hangs" "The driver hung after 0.3 s: sleep 61.38 & sleep 61.38. *Evidence" 66 \
    <<<"$server"$'[ready]\ntcp = "${port}"\n[drive]\ntimeout = "300ms"\ncommand = "sleep 61.38 & sleep 61.38"'
check "is killed, with what it started" none_left
cat >busy.c <<'CODE'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long done; /* under lock */
static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        done++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    puts("ready");
    fflush(stdout);
    work(NULL);
}
CODE
build busy
bad "a driver that waits for a program at work" "inconclusive: 2 of 2 runs met the limit of time" 98 \
    <<<$'[program]\npath = "./busy"\n[options]\nruns = 2\nstrategy = "random"\n[ready]\noutput = "ready"\n[drive]\ntimeout = "1s"\ncommand = "sleep 61.38"'
check "is killed as well" none_left
bad "a driver that makes a daemon" " 3 runs in" ran \
    <<<"$server"$'[ready]\ntcp = "${port}"\n[drive]\ncommand = "setsid sleep 61.39 & true"'
check "which does not outlive it" none_left
bad "a driver that does not exist" "bad.toml:11: the driver .*no_such_client.* cannot be run: .*not found" 99 \
    <<<"$server"$'[ready]\ntcp = "${port}"\n[drive]\ncommand = "./no_such_client"'
bad "one that is no program" "bad.toml:11: the driver .* cannot be run: cannot run ./plain.c: Permission denied" 99 \
    <<<"$server"$'[ready]\ntcp = "${port}"\n[drive]\ncommand = ["./plain.c", "x"]'
bad "a setup that fails" "The setup .echo no room; exit 5. ended with status 5 *no room" 99 \
    <<<"$server"$'[setup]\ncommand = "echo no room; exit 5"\n[drive]\ncommand = "true"'
bad "a status that is fine" " 3 runs in" ran \
    <<<"$server"$'[ready]\ntcp = "${port}"\n[drive]\ncommand = "exit 7"\nexit_ok = [7]'
bad "a port that is taken" "bad.toml:8: another process listens on TCP port" 99 < <(
    "$PWD/echo_server" 19877 >/dev/null & echo $! >pid
    for _ in $(seq 50); do ./echo_client 19877 1 0 0 2>/dev/null && break; sleep 0.1; done
    echo "$server"$'[ready]\ntcp = 19877\n[drive]\ncommand = "true"')
kill "$(cat pid)"

cat >deaf.c <<'CODE'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
static void on_term(int signo) { }
int main(void)
{
    pthread_t a;
    signal(SIGTERM, on_term);
    pthread_create(&a, 0, nothing, 0);
    pthread_join(a, 0);
    puts("here");
    fflush(stdout);
    for (;;)
        pause();
}
CODE
build deaf
bad "a program that does not stop" "The program did not end within 0.3 s of SIGTERM" 66 \
    <<<$'[program]\npath = "./deaf"\n[ready]\noutput = "here"\n[stop]\ntimeout = "300ms"'
bad "but may be killed" " [0-9]+ runs? in" ran \
    <<<$'[program]\npath = "./deaf"\n[options]\nruns = 3\n[ready]\noutput = "here"\n[stop]\nsignal = "SIGKILL"'
check "nothing is left of them" none_left
for how in 'pause()' 'sigwait(&set, &signo)' 'sigsuspend(&none)'; do
    cat >waits.c <<CODE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *add(void *arg) { x++; return arg; }
static void on_term(int signo) { _exit(9); }
int main(void)
{
    pthread_t a, b;
    sigset_t set, none;
    int signo;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    signal(SIGTERM, on_term);
    if ('$how'[0] == 's')
        pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    puts("here");
    fflush(stdout);
    $how;
    return 9;
}
CODE
    sed -i "s/'\(.\)[^']*'\[0\]/'\1'/" waits.c
    build waits
    bad "a program that waits for the signal by $how" " 3 runs in" ran \
        <<<$'[program]\npath = "./waits"\n[options]\nruns = 3\nstrategy = "random"\n[ready]\noutput = "here"\n[stop]\nexit_ok = [9]'
done

# ---- the client has gone ------------------------------------------------------------------

# A thread waits for connections while another one cleans up for six seconds: nobody will come any more.
cat >slow_end.c <<'CODE'
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
static int listener, watched;
static long served;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *serve(void *arg)
{
    struct epoll_event e;
    char byte;
    while (epoll_wait(watched, &e, 1, -1) == 1) {
        if (e.data.fd == listener) {
            e = (struct epoll_event){.events = EPOLLIN, .data.fd = accept(listener, NULL, NULL)};
            epoll_ctl(watched, EPOLL_CTL_ADD, e.data.fd, &e);
        } else if (read(e.data.fd, &byte, 1) == 1) {
            pthread_mutex_lock(&lock);
            served++;
            pthread_mutex_unlock(&lock);
            write(e.data.fd, &byte, 1);
        } else {
            close(e.data.fd);
        }
    }
    return arg;
}
int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    pthread_t t;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 8))
        return 2;
    watched = epoll_create1(0);
    epoll_ctl(watched, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});
    pthread_create(&t, NULL, serve, NULL);
    pthread_detach(t);
    for (long n = 0; n == 0; usleep(20000)) {
        pthread_mutex_lock(&lock);
        n = served;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 300; i++)
        usleep(20000);
    return 0;
}
CODE
build slow_end
cat >slow_end.toml <<'TOML'
[program]
path = "./slow_end"
args = ["${port}"]
[ready]
tcp = "${port}"
[drive]
command = ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$HEDDLE_PORT; printf x >&3; read -r -n 1 -t 10 <&3"]
[stop]
signal = "none"
timeout = "60s"
TOML
heddle test --script slow_end.toml --seed 1 --strategy random --runs 4 --json r.json
ran "a server that ends slowly" "in 4 runs"
check "its sleeps take no time once its client has gone" jq -e '.seconds < 12' r.json

# ---- interrupted --------------------------------------------------------------------------

cat >long.toml <<TOML
teardown = "echo torn >>torn"
$server
[setup]
command = "sleep 61.36 & true"
[ready]
tcp = "\${port}"
[drive]
command = "sleep 61.35"
TOML
for signal in TERM KILL; do
    "$HEDDLE" test --script long.toml >out 2>err &
    pid=$!
    for _ in $(seq 100); do [ "$(sleeps)" -ge 2 ] && break; sleep 0.1; done
    check "it is under way" test "$(sleeps)" -ge 2
    kill -$signal $pid
    wait $pid 2>/dev/null
    rc=$?
    [ $signal = KILL ] && rm -rf tmpdir/heddle-*
    check "nothing is left after SIG$signal" none_left
    [ $signal = KILL ] || expect 98 "the first signal ends it in order" "interrupted"
    [ $signal = KILL ] || check "and it was torn down" grep -q torn torn
done
finish
