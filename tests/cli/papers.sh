#!/usr/bin/env bash
# Parameters of the papers' methods: each does what it says. docs/papers.md.
. "$(dirname "$0")/lib.bash"
export HEDDLE_OPTIONS="--no-race"

# One function called from two places, and two events of a thread far apart.
cat >far.c <<'END2'
#include <pthread.h>
#define OWN __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y, z;
OWN static void set(volatile int *p, int v)
{
    pthread_mutex_lock(&m);
    *p = v;
    pthread_mutex_unlock(&m);
}
OWN static void first(void) { set(&x, 1); }
OWN static void second(void) { set(&y, 1); }
static void *writer(void *arg)
{
    first();
    for (int i = 0; i < 20; i++)
        set(&z, i);
    second();
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END2
gcc -g -O0 -fsanitize=thread -o far far.c

seed=3
campaign() { rm -rf .heddle; heddle test -q --seed "$seed" --runs 60 --json r.json "$@" -- ./far </dev/null; }

covered() { jq ".coverage.metrics[] | select(.name == \"$1\").covered" r.json; }
# What is predicted by eight campaigns: of one by itself runs may show all that is possible.
compound() {
    for seed in 1 2 3 4 5 6 7 8; do
        campaign "$@"
        jq '[.drive.by_idiom[] | .predicted] | add' r.json
    done | awk '{ n += $1 } END { print n }'
}
wide=$(compound) near=$(compound --window 2)
check "--window: events far apart make no order ($near of $wide)" test "$near" -lt "$wide"
campaign --window 0
expect 64 "--window 0" "--window wants at least 1"

campaign --strategy random --coverage hapset
deep=$(covered hapset)
campaign --strategy random --coverage hapset --context 0
check "--context 0: a line is a line ($(covered hapset) of $deep)" test "$(covered hapset)" -lt "$deep"
campaign --context 17
expect 64 "--context 17" "from 0 to 16"

# The example of the MAP coverage paper: a test of `th`, its use, and a thread that sets it.
cat >threshold.c <<'END2'
#include <pthread.h>
#include <stddef.h>
static int debug = 1;
static int *volatile th = &debug;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static void *is_severe(void *arg)
{
    pthread_mutex_lock(&m);
    hits++;
    hits++;
    pthread_mutex_unlock(&m);
    return (void *)(long)(th == NULL || *th > 0);
}
static void *set(void *arg)
{
    pthread_mutex_lock(&m);
    hits++;
    pthread_mutex_unlock(&m);
    th = NULL;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, is_severe, NULL);
    pthread_create(&b, NULL, set, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END2
gcc -g -O1 -fsanitize=thread -o threshold threshold.c
for seed in 1 2 3; do
    rm -rf .heddle
    heddle test -q --seed $seed --runs 40 --strategy map -- ./threshold </dev/null
    expect 66 "strategy map sets it between test and use, seed $seed" "is_severe"
done
rm -rf .heddle
heddle test -q --keep-going --seed 1 --runs 60 --strategy map -- ./threshold </dev/null
heddle coverage
expect 0 "patterns under one lock are told apart as infeasible" "\(T_C\); [1-9][0-9]* were found infeasible"

# Locks that are left out, in some functions or in all.
cat >locked.c <<'END2'
#include <assert.h>
#include <pthread.h>
#define OWN __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n, ready, other;
OWN static void add(void)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
}
OWN static void add_other(void)
{
    pthread_rwlock_wrlock(&rw);
    other++;
    pthread_rwlock_unlock(&rw);
}
OWN static void tell(void)
{
    pthread_mutex_lock(&m);
    ready++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}
OWN static void await(void)
{
    pthread_mutex_lock(&m);
    while (ready < 2)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}
static void *run(void *arg)
{
    add();
    add_other();
    tell();
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, NULL);
    await();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    assert(other == 2);
    return 0;
}
END2
gcc -g -O0 -fsanitize=thread -o locked locked.c
rm -rf .heddle
heddle test -q --seed 3 --runs 60 --json r.json --strategy tsa -- ./locked </dev/null
check "tsa says which rule let calls go" jq -e '.tsa.by_rule | length == 3 and add > 0' r.json
check "a line has a slope and an r squared" jq -e '.coverage.metrics[] | select(.name == "syncpair") |
    .slope >= 0 and .r2 >= 0 and .r2 <= 1' r.json

without() { rm -rf .heddle; heddle test --seed 1 --runs 400 "$@" -- ./locked </dev/null; }
without
expect 0 "with its locks it is right" "No failure"
without --without-locks add
expect 66 "without the lock of a function" "n == 2"
heddle replay --times 5 .heddle/findings/latest/replay.heddle </dev/null
expect 66 "a replay leaves out the same" "5 of 5"
without --without-locks add_other
expect 66 "a lock for readers and writers" "other == 2"
without --without-locks await
expect 66 "looking and waiting come apart: the signal is lost" "waits on condition"
check "the wait has its mutex all the same" test -z "$(grep -i 'without holding' out)"
without --without-locks all
expect 66 "all of them" "FINDING"
without --without-locks nothing
expect 64 "a function that is not there" "no function 'nothing'"

# iRoots in libraries that are not instrumented: what a call of libc does to the program's memory is an
# access at the place of the call, observed and predicted.
cat >text.c <<'END2'
#include <pthread.h>
#include <string.h>
#define OWN __attribute__((noinline))
static char text[16] = "a";
OWN static void fill(void) { strcpy(text, "abcdef"); }
OWN static size_t look(void) { return strlen(text); }
static void *writer(void *arg)
{
    fill();
    return arg;
}
static void *reader(void *arg) { return (void *)look(); }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END2
gcc -g -O0 -fno-builtin -fsanitize=thread -o text text.c
rm -rf .heddle
heddle test -q --seed 1 --runs 40 --json r.json -- ./text </dev/null
heddle coverage -q --list iroot --json list.json
pair() { jq -e --arg a "$1@" --arg b "$2@" '[.elements[].sites | map(.site)] |
    any((.[0] | startswith($a)) and (.[1] | startswith($b)))' list.json; }
check "strcpy before strlen is an iRoot" pair fill look
check "strlen before strcpy is one" pair look fill
check "one of them was predicted from a run with the other" jq -e '.drive.by_idiom["1"].predicted >= 1' r.json

# Maple's figure 10: A comes before B only if an unlock came before a lock before that.
cat >order.c <<'END2'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int c, x;
static void *first(void *arg)
{
    pthread_mutex_lock(&m);
    c = 1;
    pthread_mutex_unlock(&m);
    x = 1; /* A */
    x = 2;
    return arg;
}
static void *second(void *arg)
{
    pthread_mutex_lock(&m);
    int is_set = c;
    pthread_mutex_unlock(&m);
    if (is_set)
        assert(x != 1); /* B */
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&b, NULL, second, NULL);
    pthread_create(&a, NULL, first, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END2
gcc -g -O1 -fsanitize=thread -o order order.c
for seed in 1 2 3; do
    rm -rf .heddle
    heddle test -q --seed $seed --runs 200 -- ./order </dev/null
    expect 66 "an order behind a pre-condition, seed $seed" "x != 1"
done

# What was in vain under three inputs, twice each, is not tried under a fourth (--tries-all 6).
cat >never.c <<'END2'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int turn, x, y;
/* Only one of the two ever comes to x: whoever is first. What is predicted between them is never shown. */
static void *run(void *arg)
{
    pthread_mutex_lock(&m);
    int mine = turn++;
    pthread_mutex_unlock(&m);
    if (mine == 0)
        x = 1;
    y = x;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return argc > 5;
}
END2
gcc -g -O0 -fsanitize=thread -o never never.c
# Maple profiles until three runs in a row bring nothing; the default drives from the second run on.
heddle test -q --seed 1 --runs 60 --dir paper --strategy maple --json r.json -- ./never 1 </dev/null
check "--strategy maple: profile first ($(jq .drive.profile_runs r.json) runs)" jq -e '.drive | .profile_runs >= 4 and
    .profile_runs <= 20 and .all.tried > 0' r.json
heddle test -q --seed 1 --runs 60 --dir ours --json r.json -- ./never 1 </dev/null
check "the default: one run" jq -e '.drive | .profile_runs == 1 and .all.tried > 0' r.json
rm -rf .heddle
for input in 1 2 3; do
    heddle test -q --seed $input --runs 150 --json r.json -- ./never $input </dev/null
    check "input $input: tried, in vain" jq -e '.drive.all | .failed >= 1 and .skipped == 0' r.json
done
heddle test -q --seed 4 --runs 150 --json r.json -- ./never 4 </dev/null
check "the fourth input: skipped" jq -e '.drive.all | .tried == 0 and .skipped >= 1' r.json
heddle test -q --seed 5 --runs 150 --tries-all 20 --json r.json -- ./never 5 </dev/null
check "--tries-all 20: tried again" jq -e '.drive.all | .tried >= 1 and .skipped == 0' r.json

# bench/papers: what an interrupted bench has measured is kept, what it has not is measured the next time; a campaign
# that failed is no figure; a row is not taken for another one whose name ends like it.
mkdir -p tree/bench/papers tree/docs
cp "$ROOT"/bench/papers/*.{bash,awk} tree/bench/papers/
cat >tree/bench/papers/demo.sh <<'END2'
. "$(dirname "$0")/lib.bash"
paper runs bank=3
for p in circular_list list bank; do cell "$p" pct runs_to_bug -- "./$p"; done
finish Demo runs
END2
cat >fake <<'END2'
#!/usr/bin/env bash
# Stands in for heddle: says which program it was given; under `bank` as $FAKE says.
for a; do program=$a; done
echo "$program" >>"$CALLS"
while [ "$1" != --json ]; do shift; done
is=false
if [ "$program" = ./bank ]; then
    case $FAKE in fail) exit 99 ;; stop) is=true ;; esac
fi
printf '{"interrupted": %s, "findings": [{"runs_until": 5}]}' $is >"$2"
exit 66
END2
chmod +x fake
demo() { CALLS=$PWD/calls HEDDLE=$PWD/fake FAKE=$1 bash tree/bench/papers/demo.sh >out 2>err; }
measured() { grep -v 'paper' tree/bench/work/papers/demo.tsv | cut -f 1,3 | tr '\t\n' '= '; }
demo stop
check "an interrupted campaign ends the bench" test $? = 143 -a "$(tail -n 1 calls)" = ./bank
check "what it had is kept, and no more" test "$(measured)" = "circular_list=5 list=5 "
: >calls
demo fail
check "one that fails is no figure, and does not end it" test $? = 0 -a "$(measured)" = "circular_list=5 list=5 "
demo good
check "the next time only what is missing is measured" test "$(measured)$(sort -u calls)" = "circular_list=5 list=5 bank=5 ./bank"
check "then it is drawn" test -s tree/docs/papers/demo.svg
echo drawn >tree/docs/papers/demo.svg
sed -i 's/circular_list list //' tree/bench/papers/demo.sh
FRESH=1 demo fail
check "without a figure the drawing stays as it was" grep -q drawn tree/docs/papers/demo.svg

# A limit by processor time: reached by what works, in whatever process, not by what sleeps.
(
    . "$ROOT/bench/cpu_limit.bash"
    cpu_limit 0.2 bash -c 'while :; do (for ((i = 0; i < 3000; i++)); do :; done); done'
    echo "busy $? $(awk -v n="$cpu_used" 'BEGIN { print (n >= 0.1) }')"
    cpu_limit 0.2 sleep 0.7
    echo "asleep $? $(awk -v n="$cpu_used" 'BEGIN { print (n < 0.2) }')"
    cpu_limit 9 bash -c 'exit 66'
    echo "short $?"
) >limits 2>/dev/null
check "a bench's limit is one of processor time" test "$(tr '\n' ';' <limits)" = "busy 124 1;asleep 0 1;short 66;"

# What docs/papers.md names is there: files, folders, scripts, tests, drawings.
page=$ROOT/docs/papers.md
there() { compgen -G "$1" >/dev/null; }
grep -oE '`[a-z_/*]+(\.[a-z]+|/)`|(tests|bench)/[a-z_/.]*[a-z]|papers/[a-z_]+\.svg' "$page" | tr -d '`' | sort -u | while read -r f; do
    there "$ROOT/src/$f" || there "$ROOT/$f" || there "$ROOT/bench/papers/$f" || there "$ROOT/docs/$f" || echo "$f"
done >missing
grep -oE '`(test|cli|target)_[a-z_*]+`' "$page" | tr -d '`' | sort -u | while read -r t; do
    there "$ROOT/tests/*/$t.c" || there "$ROOT/tests/cli/${t#cli_}.sh" || there "$ROOT/tests/target/${t#target_}" || echo "$t"
done >>missing
check "files and tests that docs/papers.md names are there" test ! -s missing
sed 's/^/# /' missing
# And the other way round: no script of bench/papers that run.sh does not run or the page does not name.
for f in "$ROOT"/bench/papers/*.sh; do
    name=$(basename "$f" .sh)
    [ "$name" = run ] || { grep -qE "^(short|long)=.*[ \"]$name[ :\"]" "$ROOT/bench/papers/run.sh" && grep -q "$name\.sh" "$page"; } || echo "$name"
done >missing
check "every script of bench/papers is run by run.sh and named on the page" test ! -s missing
sed 's/^/# /' missing
finish
