#!/usr/bin/env bash
# Misuse of locks as findings, what --no-misuse lets pass, and that a correct
# program is left alone.
. "$(dirname "$0")/lib.bash"
cat >misuse.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static const char *what;
static int is(const char *word) { return !strcmp(what, word); }
static void *first(void *arg)
{
    pthread_mutex_lock(&m); /* @held */
    if (is("two"))
        pthread_cond_wait(&c, &m);
    if (is("exit"))
        return arg;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *second(void *arg)
{
    if (is("not-owner"))
        pthread_mutex_unlock(&m);
    if (is("free"))
        pthread_mutex_unlock(&n);
    if (is("destroy"))
        pthread_mutex_destroy(&m);
    if (is("without"))
        pthread_cond_wait(&c, &n);
    if (is("two")) {
        pthread_mutex_lock(&n);
        pthread_cond_wait(&c, &n);
    }
    if (is("relock")) {
        pthread_mutex_lock(&n);
        pthread_mutex_lock(&n);
    }
    return arg;
}
static pthread_t b;
static void join_late(void) { pthread_join(b, 0); }
__attribute__((destructor)) static void join_last(void)
{
    if (is("destructor"))
        pthread_join(b, 0);
}
int main(int argc, char **argv)
{
    what = argv[1];
    pthread_t a;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    if (is("leave"))
        return 0;
    pthread_join(a, 0);
    if (is("handler"))
        atexit(join_late);
    else if (!is("unjoined") && !is("destructor"))
        pthread_join(b, 0);
    return 0;
}
END
build misuse -O1
line() { grep -n "$1" misuse.c | cut -d: -f1; }

# kind WORD -> the JSON's word for the misuse
kind() { jq -r '.findings[0] | "\(.kind) \(.verdict.misuse) \(.verdict.variable)"' r.json; }
try() { # try WORD "kind misuse variable" "sentence"
    heddle test --seed 1 --runs 300 --strategy random --dir d --json r.json -- ./misuse "$1"
    expect 66 "$1 is found" "$3"
    check "$1: kind, misuse, variable" test "$(kind)" = "$2"
    check "$1: replayed each time" jq -e '.findings[0] | .tried > 1 and .tried == .reproduced' r.json
    heddle replay --times 5 "d/findings/$(jq -r '.findings[0].id' r.json)/replay.heddle"
    expect 66 "$1 replays" "failed as recorded, 5 of 5"
}
try free "misuse unlock-free n" "T2 unlocked .n. at misuse.c:[0-9]+, which nobody holds"
try destroy "misuse destroy-held m" \
    "T2 destroyed .m. at misuse.c:[0-9]+ while T1 was using it \(taken at misuse.c:$(line @held)\)"
try without "misuse wait-without-mutex n" \
    "T2 waited on .c. at misuse.c:[0-9]+ without holding the mutex .n."
try two "misuse wait-two-mutexes c" "waited on .c. at misuse.c:[0-9]+ with another mutex"
try relock "deadlock null null" \
    "Deadlock: T2 waits for .n. at misuse.c:[0-9]+, which it holds itself \(taken at misuse.c:[0-9]+\)"
# Unlocked while the other holds it, in some schedule; free in others.
heddle test --seed 1 --runs 300 -k --no-minimize --dir s --json r.json -- ./misuse not-owner
expect 66 "unlock by another thread is found" \
    "T2 unlocked .m. at misuse.c:[0-9]+, which T1 holds \(taken at misuse.c:$(line @held)\)"
check "unlock by another thread and of a free lock are two findings" jq -e \
    '[.findings[].verdict.misuse] | sort == ["unlock-free", "unlock-not-owner"]' r.json

heddle test --seed 1 --runs 100 --no-misuse -- ./misuse free
expect 0 "--no-misuse goes on" " 100 runs in"
heddle test --seed 1 --runs 100 --no-misuse -- ./misuse destroy
expect 0 "--no-misuse with destroy"
heddle run --seed 1 --no-misuse --dir e -- ./misuse free
heddle replay e/last.heddle
expect 0 "a replay keeps --no-misuse" "ran as recorded"

heddle test --seed 1 --runs 50 --json r.json -- ./misuse exit
expect 0 "a thread that ends with a lock is a note" \
    "note: a thread created at misuse.c:[0-9]+ ended while it held .m."
check "notes are in the JSON" jq -e '.notes | length == 1' r.json
heddle test --seed 1 --runs 50 -- ./misuse unjoined
expect 0 "a thread nobody joins" "note: a thread created at misuse.c:[0-9]+ ended without being joined"
heddle test --seed 1 --runs 50 -- ./misuse leave
expect 0 "a thread that outlives main" \
    "note: a thread created at misuse.c:[0-9]+ was still there when the process ended"
for how in handler destructor; do
    heddle test --seed 1 --runs 50 -- ./misuse $how
    expect 0 "a thread that is joined while the process ends: $how"
    check "and no note about it ($how)" bash -c '! grep -q note: err'
done
correct_c
heddle test --seed 1 --runs 50 -- ./correct
expect 0 "a correct program"
check "and no note about it" bash -c '! grep -q note: err'
finish
