#!/usr/bin/env bash
# The program under test is started by a command: a shell script, make, a python test, a program
# that forks. Found, named, replayed; what cannot be tested is said.
. "$(dirname "$0")/lib.bash"
racy_c
correct_c
latest=.heddle/findings/latest/replay.heddle
again() { # again "what" [TIMES]: 20 replays of the latest finding
    heddle replay --times "${2:-20}" $latest
    expect 66 "$1: replayed" "as recorded, ${2:-20} of ${2:-20}"
    rm -rf .heddle
}
# debug "what": the latest finding in gdb, in its place below the command: at the failure, one switch back,
# and at the failure again.
debug() {
    timeout 100 "$HEDDLE" replay --gdb $latest -- -batch -ex run -ex 'heddle where' -ex 'heddle back' \
        -ex continue -ex "p counter" >out 2>err
    rc=$?
    expect 0 "$1: in gdb" 'SIGABRT.*own code.*in main .*> from step.*Step [0-9]+ of.*racy.c:.*SIGABRT.*own code.*in main .*[$]1 = [0-5]'
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

# ---- a shell script -------------------------------------------------------------------

printf '#!/bin/sh\necho begin\nls >/dev/null\n./racy || exit 1\necho end\n' >runtests.sh
chmod +x runtests.sh
heddle test --runs 100 --seed 1 --no-minimize --json r.json -- ./runtests.sh
expect 66 "found below a shell script" "counter == 6.*racy: instrumented, makes threads"
check "what it printed is kept" jq -e '.findings[0].stdout | test("begin")' r.json
check "the program is the one that failed" jq -e '.program | test("/racy$")' r.json
(cd / && "$HEDDLE" replay "$OLDPWD/$latest") >out 2>err
rc=$?
expect 66 "from any folder" "failed as recorded"
debug "shell script"
check "nothing is left of that" none_left
again "shell script"

heddle test --runs 100 --seed 1 --no-minimize -- sh ./runtests.sh
expect 66 "by the name of the shell" "counter == 6"
rm -rf .heddle

# ---- make, a test in python --------------------------------------------------------------

printf 'check:\n\t@./racy\n\t@echo passed\n' >Makefile
heddle test --runs 100 --seed 1 --no-minimize --program racy -- make check
expect 66 "found below make" "counter == 6"
debug make
again make

cat >test_racy.py <<'PY'
import subprocess

def test_racy():
    assert subprocess.run(["./racy"]).returncode == 0
PY
python=$(PATH=/usr/bin:/bin command -v python3)
if [ -n "$python" ] && "$python" -c 'import pytest' 2>/dev/null; then
    heddle test --runs 100 --seed 1 --no-minimize --program racy -- "$python" -m pytest -p no:cacheprovider test_racy.py
    expect 66 "found below pytest" "counter == 6"
    debug pytest
    again pytest 4 # each starts an interpreter
fi

# ---- a server that forks its workers --------------------------------------------------------

cat >prefork.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int counter;
static void *add(void *arg)
{
    for (int i = 0; i < 3; i++)
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
    assert(counter == 6);
    exit(0);
}
int main(void)
{
    int bad = 0, status;
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            work();
    while (wait(&status) > 0)
        bad |= status;
    return bad != 0;
}
C
build prefork
heddle test --runs 60 --seed 1 --no-minimize -- ./prefork
expect 66 "found in a forked child" 'counter == 6.*prefork \(forked\): instrumented, makes threads, 3 times'
heddle replay --gdb $latest
expect 64 "one that was forked cannot be started by gdb" "was forked, not started, by the command"
check "it counts as instrumented" test "$(grep -c 'not built with' err)" = 0
again prefork

# ---- what the command makes of it ------------------------------------------------------------

printf '#!/bin/sh\n./correct 1\ntest $? = 3\n' >expects.sh
printf '#!/bin/sh\n./correct\nexit 7\n' >fails.sh
sed 's/assert(.*/return printf("%d\\n", counter) < 0;/; 1i #include <stdio.h>' racy.c >prints.c
build prints
printf '#!/bin/sh\ntest "$(./prints)" = 6\n' >compares.sh
printf '#!/bin/sh\n./correct\necho left >&2\nsetsid sleep 63.31 &\n./correct &\n' >leaves.sh
printf '#!/bin/sh\necho hello\n' >nothing.sh
chmod +x ./*.sh
heddle test --runs 10 --seed 1 -- ./expects.sh
expect 0 "a status that the command expects is fine" " 10 runs in"
heddle test --runs 10 --seed 1 -- ./fails.sh
expect 0 "a status that is always there is fine, and told" "ends with status 7 also if nothing is controlled"
heddle test --runs 100 --seed 1 --no-minimize --json r.json -- ./compares.sh
expect 66 "a command that fails although the program did not" 'The command `./compares.sh` ended with status 1'
check "is of kind check" jq -e '.findings[0].kind == "check"' r.json
again "a check"
heddle test --runs 4 --seed 1 -- ./leaves.sh
expect 0 "what is left running is ended" " 4 runs in"
check "nothing is left" none_left
check "nor a daemon" test "$(pgrep -fc '^sleep 63[.]31')" = 0
heddle test --runs 10 --junit j.xml -- ./nothing.sh
expect 98 "nothing to test is not green" "nothing was tested: ./nothing.sh started no program"
check "it is skipped for a build server" grep -q '<skipped message="nothing was tested' j.xml
heddle test --program ls -- ./runtests.sh
expect 98 "a program that is not instrumented" "ls, which the command starts, is not built with"
heddle test --program gone -- ./runtests.sh
expect 98 "a program that is not started" "did not start gone"

# ---- which one ----------------------------------------------------------------------------------

mkdir -p "a b"
cp correct "a b/other one"
printf '#!/bin/sh\n"a b/other one" "x\ny" | cat >/dev/null\n./racy; ./racy\n' >two.sh
chmod +x two.sh
heddle test --runs 6 --seed 1 --program "other one" -- ./two.sh
expect 0 "a name with a space" "testing .*/a b/other one"
heddle test --runs 100 --seed 1 --no-minimize -k --time 20s -- ./two.sh
expect 66 "each in turn" "testing .*/other one.*testing .*/racy"

# Another part of the command fails once: the program under test is not accused.
echo 0 >n
printf '#!/bin/sh\nread n <n\necho $((n + 1)) >n\n./correct\ntest $n != 3\n' >once.sh
chmod +x once.sh
heddle test --runs 8 --seed 1 -- ./once.sh
expect 0 "a failure that is not the program's" "the command failed in run [0-9]+, and in none of [0-9]+ replays"
if gcc -static -x c - -o static 2>/dev/null <<<'#include <unistd.h>
int main(void) { usleep(300000); return 0; }'; then
    printf '#!/bin/sh\n./static\n./correct\n' >statics.sh
    chmod +x statics.sh
    heddle test --runs 2 --seed 1 -- ./statics.sh
    expect 0 "a static program runs freely, and that is said" "static: statically linked, so it runs freely"
fi
# 32-bit, made without the libraries of that kind; setuid, which needs another user.
printf '.globl _start\n_start: mov $162, %%eax\nmov $ts, %%ebx\nxor %%ecx, %%ecx\nint $0x80\nmov $1, %%eax\nxor %%ebx, %%ebx\nint $0x80\n.data\nts: .long 0, 300000000\n' >small.s
if as --32 small.s -o small.o 2>/dev/null && ld -m elf_i386 small.o -o small 2>/dev/null && ./small; then
    printf '#!/bin/sh\n./small\n./correct\n' >small.sh
    chmod +x small.sh
    heddle test --runs 2 --seed 1 -- ./small.sh
    expect 0 "a 32-bit program runs freely, and that is said" "small: 32-bit, so it runs freely"
fi
cp "$(command -v sleep)" as_nobody
if chown nobody as_nobody 2>/dev/null && chmod 4755 as_nobody; then
    printf '#!/bin/sh\n./as_nobody 0.3\n./correct\n' >setuid.sh
    chmod +x setuid.sh
    heddle test --runs 2 --seed 1 -- ./setuid.sh
    expect 0 "a setuid program runs freely, and that is said" "as_nobody.*: setuid or setgid, so it runs freely"
fi

# Names that are no names elsewhere: line breaks, markup, bytes that are no UTF-8, terminal escapes.
odd=$(printf 'a\nb/<script>alert(1)<')
mkdir "${odd%%/*}"
cp racy "$odd"
printf '#!/bin/sh\n"%s" "$(printf "x\\377\\033[31m</script>")"\n' "$odd" >odd.sh
chmod +x odd.sh
heddle test --runs 100 --seed 1 --no-minimize --junit j.xml --sarif s.json --json r.json -- ./odd.sh
expect 66 "a program and arguments with odd names" "counter == 6"
check "no escape reaches the terminal" test "$(cat out err | grep -c "$(printf '\033')")" = 0
check "JUnit is well-formed" xmllint --noout j.xml
check "JSON and SARIF are" jq -e . r.json s.json
check "the page has no markup of theirs" test "$(grep -c '<script' .heddle/findings/latest/report.html)" = 2
again "odd names" 3
check "nothing is left at the end" none_left
finish
