#!/usr/bin/env bash
# Searches over runs: they end, say truly whether everything was explored, and
# meet exactly the final states that the small programs of target/mini can reach.
. "$(dirname "$0")/lib.bash"

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
# states FILE: the final states the last `heddle test --keep-going --show-output` met
states() {
    cat out err | grep -xE -- '-?[0-9]+( -?[0-9]+)*'
    jq -e '[.findings[].kind] | index("deadlock") or index("lost-wakeup")' r.json >/dev/null 2>&1 &&
        echo deadlock
}
search() { # search PROGRAM STRATEGY [OPTION...]
    local prog=$1 strategy=$2
    shift 2
    heddle test --strategy "$strategy" --seed 1 --fresh --coverage none --no-minimize --show-output -k \
        --json r.json "$@" -- "./$prog" </dev/null
}
is_complete() { jq -e '.search.complete and .search.over' r.json; }

n=0
for f in "$ROOT"/tests/target/mini/*.c; do
    name=$(basename "$f" .c)
    $(header "$f" build) -o "$name" "$f" || { echo "cannot build $name"; exit 1; }
    want=$(header "$f" finals | sed 's/ | /\n/g' | sort -u)
    for s in dpor hapset; do
        search "$name" $s
        met=$(states | sort -u)
        if [ "$met" = "$want" ] && is_complete >/dev/null &&
            grep -Eq "all [0-9]+ interleavings? explored" err; then
            ok "$s $name: $(wc -l <<<"$want") states"
        else
            not_ok "$s $name: $(paste -sd'|' <<<"$met") instead of $(paste -sd'|' <<<"$want")"
        fi
    done
    n=$((n + 1))
done
check "at least 20 programs" test $n -ge 20

# Without reduction, and with a bound nothing exceeds: the same number of runs.
search lost_update dfs
expect 0 "dfs ends" "all [0-9]+ interleavings explored"
all=$(jq .search.explored r.json)
search lost_update dfs --learn 0
check "without runs by chance before it, too" jq -e ".search.learning_runs == 0 and .search.explored == $all" r.json
search lost_update pcb=30
expect 0 "pcb with a high bound ends" "all $all interleavings explored"
search lost_update chess=30
expect 0 "chess with a high bound ends" "all [0-9]+ interleavings explored"
check "with fewer runs" jq -e ".search.complete and .search.explored < $all" r.json
search lost_update pcb=1
expect 0 "pcb names its bound" "all [0-9]+ interleavings with at most 1 preemptions explored"
check "and does not claim more" jq -e '.search.complete == false' r.json
search lost_update delaybound=1
expect 0 "delaybound names its bound" "with at most 1 delays explored"
search lost_update dpor=1
expect 0 "dpor with a bound" "with at most 1 preemptions explored"
search lost_update dfs --runs 20
expect 0 "a budget that is too small" "search not finished: [0-9]+ interleavings so far"

# Several workers: the same interleavings, each once.
for s in dfs pcb=2 dpor; do
    search three_updates $s --runs 2000
    one=$(jq -c '[.search.explored, .search.complete, .search.limits]' r.json)
    search three_updates $s --runs 2000 -j 3
    if [ $s = dfs ]; then
        check "dfs -j 3 does not end either" jq -e '.search.over == false' r.json
    else
        check "$s -j 3: $one" [ "$(jq -c '[.search.explored, .search.complete, .search.limits]' r.json)" = "$one" ]
    fi
done

heddle test --strategy random --fresh -- ./three_updates
expect 64 "only searches can be fresh" "is for searches"

# The busy-wait example of HaPSet's paper: guidance sees that more rounds are nothing new.
cat >busy.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *poll(void *arg)
{
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&m);
        seen = x;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, poll, NULL);
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
END
build busy
search busy hapset
expect 0 "busy waiting" "guidance had nothing left after [12] runs"
check "its two interleavings" jq -e '.search.guided_runs <= 2' r.json
search busy dpor
check "dpor has more to do" jq -e '.search.explored > 4' r.json

# A guided search learns from its own runs: chance comes when guidance has nothing left, or when it is asked for.
heddle test --strategy hapset --fresh --coverage none --no-minimize --json r.json -- ./lost_update </dev/null
check "nothing is found by chance first" jq -e '.findings | length == 0' r.json
check "chance comes after guidance" jq -e '.search.learning_runs >= 3 and .search.complete' r.json
for n in 1 2 3 4 5 6 7; do # stopped anywhere, it goes on: the same end
    heddle test --strategy hapset --dir stopped$n --coverage none --runs $n -- ./lost_update </dev/null
    heddle test --strategy hapset --dir stopped$n --coverage none --json s.json -- ./lost_update </dev/null
    jq -e '.search.learning_runs >= 3 and .search.complete' s.json >/dev/null ||
        not_ok "stopped after $n runs: $(jq -c .search s.json)"
done
check "stopped in between it goes on with that" [ "$(jq .search.explored s.json)" = "$(jq .search.explored r.json)" ]

# What hapset has learned is kept, also for other inputs of the program.
heddle test --strategy hapset --fresh --learn 30 --coverage none --runs 60 --json r.json -- ./busy </dev/null
check "runs to learn from" jq -e '.search.learning_runs == 30' r.json
heddle test --strategy hapset --coverage none --json r.json -- ./busy other input </dev/null
check "and used under another input" jq -e '.search.guided_runs == 1' r.json
heddle test --strategy hapset --dir elsewhere --learn-from .heddle --learn 0 --coverage none --json r.json -- ./busy </dev/null
check "and from a folder given by hand" jq -e '.search.guided_runs == 1' r.json
heddle test --strategy hapset --dir third --learn-from nowhere --coverage none -- ./busy </dev/null
expect 0 "a folder with nothing in it is named" "nothing was learned from nowhere"
heddle test --strategy dpor --learn-from .heddle -- ./busy </dev/null
expect 64 "who can learn is said" "learn-from is for --strategy hapset"
heddle test --strategy pset --dir fourth --coverage none --json r.json -- ./busy </dev/null
check "pset leaves less out" jq -e '.search.guided_runs > 2' r.json

# A run that does not end in the middle of a prefix is a limit, not chance.
cat >slow.c <<'END'
#include <pthread.h>
static volatile int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, f, NULL);
    pthread_create(&b, NULL, f, NULL);
    pthread_mutex_lock(&m);
    int first = !x;
    pthread_mutex_unlock(&m);
    volatile long n = 0;
    while (first && n < 40000000000)
        n++;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
gcc -g -O1 -fsanitize=thread -o slow slow.c
search slow dpor --timeout 300ms --runs 40
check "runs that took too long are named" jq -e '.exit == 98 and .limits.time > 0' r.json
check "and limits the search" jq -e '.search.complete == false and ([.search.text[] | select(test("did not come to an end|limit"))] | length > 0)' r.json

# A finding goes the way of all findings.
heddle test --strategy dpor --seed 1 -- ./lock_order </dev/null
expect 66 "dpor finds a deadlock" "[Dd]eadlock.*strategy dpor"
heddle replay .heddle/findings/latest/replay.heddle --times 20 </dev/null
expect 66 "and it replays" "20( of |/)20"

# A loop that waits is cut, and that is said.
cat >spin.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *set(void *arg) { flag = 1; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    while (!flag)
        ;
    pthread_join(t, NULL);
    return 0;
}
END
build spin
search spin dpor
expect 0 "a spin loop" "not everything was explored.*loops that wait were left to wait"

# A program that is not the same every time.
cat >chance.c <<'END'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *arg)
{
    if (getpid() & 1)
        pthread_mutex_lock(&m);
    x++;
    if (getpid() & 1)
        pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, f, NULL);
    pthread_create(&b, NULL, f, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
build chance
search chance dfs --runs 2000
expect 0 "chance is named" "not deterministic: at step [0-9]+"
check "and nothing is claimed" jq -e '.search.complete == false' r.json

heddle run --strategy dpor -- ./spin
expect 64 "one run is no search" "use it with 'heddle test'"
heddle test --strategy dpro -- ./spin
expect 64 "a mistyped name" "did you mean 'dpor'"
heddle test --strategy dfs=3 -- ./spin
expect 64 "no number" "takes no number"
heddle help test
expect 0 "help lists searches" "Searches.*dpor=preemptions \(any\)"
finish
