#!/usr/bin/env bash
# heddle races, races in heddle test: kinds, classes, replay, suppression, JSON, a failure as
# the effect of a race, many races.
. "$(dirname "$0")/lib.bash"
unset HEDDLE_OPTIONS

cat >counter.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int hits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *locked(void *arg)
{
    pthread_mutex_lock(&lock);
    hits = hits + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
static void *unlocked(void *arg)
{
    hits = hits + 1;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, locked, 0);
    pthread_create(&b, 0, unlocked, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("hits %d\n", hits);
    return 0;
}
END
build counter

heddle test --runs 20 --seed 1 -- ./counter
expect 66 "a race is a finding of heddle test" "FINDING race-[0-9a-f]{8}   changes the result"
expect 66 "... with the variable and both lines" "hits. \(int, declared at counter.c:3\) is written by T[12] .*counter.c:(8|14) in (un)?locked\(\) while T[12] (reads|writes) it"
expect 66 "... and both results" 'prints "hits 1".*prints "hits 2"|prints "hits 2".*prints "hits 1"'
expect 66 "... and the lock that one side holds" "It holds .lock.*holds no lock|holds no lock.*It holds .lock"
heddle test --time 3s --strategy random --seed 1 --dir timed -- ./counter
expect 66 "... also if the time is limited" "FINDING race-"
heddle test --no-race --runs 20 --seed 1 -- ./counter
expect 0 "--no-race" "No failure in 20 runs"
heddle replay .heddle/findings/latest/replay.heddle --times 20
expect 66 "the race is replayed" "raced as recorded, 20 of 20 times"

echo "race:^locked$" >race.supp
heddle races --runs 20 --seed 1 --suppressions race.supp -- ./counter
expect 0 "a suppression hides it" "No failure in 20 runs.*but for 1 finding that is suppressed"

heddle races -q --runs 20 --seed 1 --no-memory --dir suggested -- ./counter
tr -s '\n ' '  ' <out | sed -n 's/.*or \(race:[^ ]*\) in a file.*/\1/p' >suggested.supp
check "the line that a report suggests names the code of the race" grep -qx 'race:^\(un\)\?locked\$' suggested.supp
heddle races --runs 20 --seed 1 --no-memory --dir suggested --suppressions suggested.supp -- ./counter
expect 0 "... and hides it" "but for 1 finding that is suppressed"

heddle races --runs 20 --seed 1 --json found.json --sarif found.sarif --junit found.xml -- ./counter
expect 66 "heddle races"
check "JSON" jq -e '.command == "races" and (.findings[0] | .kind == "race" and .race.class == "changes" and
    (.race.accesses | length) == 2 and .race.accesses[0].variable == "hits" and .reproduced == .tried)' found.json
check "SARIF" jq -e '.runs[0].results[0].ruleId == "race" and
    (.runs[0].results[0].locations[0].physicalLocation.region.startLine | . == 8 or . == 14)' found.sarif
check "JUnit" grep -q 'race-' found.xml
heddle races -q --runs 20 --seed 1 --format tsan -- ./counter
expect 66 "the words of ThreadSanitizer" "WARNING: ThreadSanitizer: data race \(pid=[0-9]+\)"
expect 66 "... both accesses" "(Write|Read) of size 4 at 0x[0-9a-f]{12} by thread T[12]:.*Previous (write|read) of size 4 at 0x[0-9a-f]{12} by thread T[12]:"
expect 66 "... the variable, the summary" "Location is global 'hits' of size 4.*SUMMARY: ThreadSanitizer: data race .*counter.c:(8|14) in (un)?locked"
heddle races --format xml -- ./counter
expect 64 "another format" "text or tsan"
heddle races --no-race -- ./counter
expect 64 "--no-race leaves nothing to do"

# A failure that a race causes is that failure; the race is told as its cause.
cat >null.c <<'END'
#include <pthread.h>
static int value = 1, *volatile p = &value;
static void *user(void *arg)
{
    if (p)
        *p = 2;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, user, 0);
    p = 0;
    pthread_join(t, 0);
    return 0;
}
END
build null
heddle races --runs 20 --seed 1 --no-memory -- ./null
expect 66 "a failure by a race" "FINDING signal-"
sed 's/return 0;/return hits != 2;/' counter.c >lost.c
build lost
heddle test --strategy random --seed 1 -- ./lost
expect 66 "races below a failure that ended the campaign" "race: hits at .*lost.c:[0-9]+ and .*lost.c:[0-9]+"

# Possible, but not brought about: a flag orders the two.
cat >flag.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *writer(void *arg)
{
    data = 1;
    atomic_store(&ready, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen = atomic_load(&ready) ? data : 0;
    pthread_join(t, 0);
    return seen > 1;
}
END
build flag
heddle races --runs 20 --seed 1 --no-memory -- ./flag
expect 0 "what cannot be brought about is no finding"
heddle races --runs 20 --seed 1 --no-memory --predicted -- ./flag
expect 0 "... but is listed if asked for" "possible race, not brought about: data at .*flag.c:(7|15) and .*flag.c:(7|15)"

# An access between two of another thread.
cat >twice.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    int seen = n;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    n = seen + 1;
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
    printf("n %d\n", n);
    return 0;
}
END
build twice
heddle races --runs 20 --seed 1 --no-memory --dir twice-state --sarif twice.sarif -- ./twice
expect 66 "an atomicity violation" "FINDING atomicity-[0-9a-f]{8}   changes the result"
expect 66 "... in a sentence" "reads .n. at .*twice.c:8 .*writes it at .*twice.c:11 .*in between at .*twice.c:11 .*two sections of .lock"
expect 66 "... with both results" 'In between: the program prints "n 1".*before or after the two: the program prints "n 2"'
check "... in SARIF" jq -e '.runs[0].results[0].ruleId == "atomicity"' twice.sarif
heddle replay twice-state/findings/latest/replay.heddle --times 20
expect 66 "... and is replayed" "as recorded, 20 of 20 times"
heddle test --runs 20 --seed 1 --no-memory --dir test-state -- ./twice
expect 0 "... which heddle test leaves to heddle races"

# Two variables that belong together.
race=$(dirname "$0")/../target/race
for name in two_accounts block_two_reads; do
    gcc -I"$race/../../../include" -g -O0 -fsanitize=thread -o "$name" "$race/$name.c" || exit 1
done
heddle races --runs 20 --seed 1 --dir two-state --json two.json -- ./two_accounts
expect 66 "two variables" "FINDING atomicity-[0-9a-f]{8}   changes the result"
expect 66 "... in a sentence" "T1 writes .from. at .*:15 .* and writes .to. at .*:18 .*and T2 is at both in between: it reads .from. at .*:26 .* and reads .to. at .*:27 .*two sections of .lock"
expect 66 "... with both results" 'In between: the program prints "60".*before or after the two: the program prints "100"'
check "... in JSON" jq -e '[.findings[0].race.accesses[] | [.variable, .line]] == [["from", 15], ["from", 26], ["to", 27], ["to", 18]]' two.json
heddle replay two-state/findings/latest/replay.heddle --times 20
expect 66 "... and is replayed" "as recorded, 20 of 20 times"
expect 66 "... with all four" "is at both in between"
heddle races --runs 20 --seed 2 --dir two-state -- ./two_accounts
expect 66 "... and known to the next campaign" "1 possible race was tried before"
heddle test --runs 20 --seed 1 --no-memory --dir two-test -- ./two_accounts
expect 0 "... which heddle test leaves to heddle races"
heddle test --runs 20 --seed 1 --no-memory --dir two-test -- ./block_two_reads
expect 66 "... but for a block that must be atomic" "though all of the block that begins at .* must be atomic"

# Types, and where memory without a name comes from.
cat >types.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
struct node { struct node *next; };
struct cache {
    uint32_t hits;
    struct node *head[4];
};
static struct cache stats;
static volatile long total;
static struct cache *block;
static void *work(void *arg)
{
    stats.hits++;
    stats.head[2] = NULL;
    total = 1;
    block->hits++;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    block = calloc(1, sizeof *block);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
build types
heddle races --runs 20 --seed 1 --no-memory -- ./types
expect 66 "the type of a member" "stats.hits. \(uint32_t, in struct cache at types.c:5\) is written"
expect 66 "... of an element" "stats.head\[2\]. \(struct node \*, in struct cache at types.c:5\) is written"
expect 66 "... of a variable" "total. \(volatile long int, declared at types.c:10\) is written"
expect 66 "... a block of the heap" "in a block of 40 bytes allocated at types.c:23\) is written"

race=$(dirname "$0")/../target/race
for name in heap_block ring_index lock_order_two handler_errno thread_leak ok_lock_order_flag; do
    gcc -g -O0 -fsanitize=thread -o "$name" "$race/$name.c" || exit 1
done
g++ -g -O0 -fsanitize=thread -o cxx_vptr "$race/cxx_vptr.cc" || exit 1
heddle races --runs 20 --seed 1 --no-memory -- ./ring_index
expect 66 "data behind the index that announces it" "had told T2 \(atomic store head at .*, +then +atomic +load +head +at .*\), +but +its +access +comes +after +that|Last synchronization of T1 before: atomic store head.*Last synchronization of T2 before: atomic load head"
heddle races -q --runs 20 --seed 1 --no-memory --format tsan -- ./heap_block
expect 66 "where a block was allocated" "Location is heap block of size 8 at 0x[0-9a-f]{12} allocated by main thread:     #0 main .*heap_block.c:29"
heddle races --runs 20 --seed 1 --no-memory -- ./cxx_vptr
expect 66 "a destructor against a virtual call" "The pointer to the virtual table at .room.*To fix it: it is the pointer to the virtual table"
heddle races -q --runs 20 --seed 1 --no-memory --format tsan -- ./cxx_vptr
expect 66 "... in the words of ThreadSanitizer" "WARNING: ThreadSanitizer: data race on vptr \(ctor/dtor vs virtual call\)"

# What ThreadSanitizer reports besides.
heddle races --runs 20 --seed 1 --no-memory -- ./lock_order_two
expect 66 "locks in different orders" "Deadlock: T1 holds .a. and waits for .b.* while T2 holds .b. and waits for .a."
heddle races -q --runs 20 --seed 1 --no-memory --format tsan -- ./lock_order_two
expect 66 "... in the words of ThreadSanitizer" "lock-order-inversion \(potential deadlock\) \(pid=[0-9]+\) +Cycle in lock order graph: M0 \(0x[0-9a-f]+\) => M1 \(0x[0-9a-f]+\) => M0 .*Mutex M1 acquired here while holding mutex M0 in thread T[12]:.*SUMMARY: ThreadSanitizer: lock-order-inversion"
heddle races --runs 20 --seed 1 --no-memory -- ./ok_lock_order_flag
expect 0 "... that cannot deadlock" "1 more that is possible could not be brought about"
heddle races --runs 20 --seed 1 --no-memory --predicted -- ./ok_lock_order_flag
expect 0 "... are listed if asked for" "possible, not brought about: deadlock: [ab] at .*:15, then [ab] at .*:16; [ab] at"
heddle races --runs 20 --seed 1 --no-memory --json handler.json -- ./handler_errno
expect 66 "errno changed by a handler" "FINDING handler-.*The handler of SIGUSR1 at .*changed errno of T0 .main. from 22 .EINVAL. to 9 .EBADF."
heddle races -q --runs 20 --seed 1 --no-memory --format tsan -- ./handler_errno
expect 66 "... in the words of ThreadSanitizer" "signal handler spoils errno \(pid=[0-9]+\) +#0 on_signal .*SUMMARY: ThreadSanitizer: signal handler spoils errno"
check "... in JSON" jq -e '.findings | any(.kind == "handler" and .verdict.misuse == "errno-changed-by-handler" and
    .verdict.signal_name == "SIGUSR1" and .reproduced == .tried)' handler.json
echo "signal:on_signal" >handler.supp
echo "race:*" >>handler.supp
heddle races --runs 20 --seed 1 --no-memory --suppressions handler.supp -- ./handler_errno
expect 0 "... suppressed"
heddle races --runs 20 --seed 1 --dir leak -- ./thread_leak
expect 66 "a thread left over" "FINDING leak-.*T1, created at .*thread_leak.c:24, ended, and until the process ended nobody joined or detached it"
heddle races -q --runs 20 --seed 1 --no-memory --format tsan -- ./thread_leak
expect 66 "... in the words of ThreadSanitizer" "thread leak \(pid=[0-9]+\).*created by main thread at:.*SUMMARY: ThreadSanitizer: thread leak .*thread_leak.c:24 in main"
heddle replay leak/findings/latest/replay.heddle --times 20
expect 66 "... is replayed" "20 of 20|20 times"
heddle test --runs 20 --seed 1 --no-memory -- ./thread_leak
expect 0 "... is a remark of heddle test" "ended without being joined or detached"

# ... comes before possible races that no run showed: here a queue hands over 80 words, and a run takes long.
{
    cat <<'END'
#include <pthread.h>
static int word[80], fd[2];
static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_full;
__attribute__((no_sanitize("thread"))) static void work(void)
{
    for (volatile int i = 0; i < 60000000; i++)
        ;
}
static void *helper(void *arg) { return arg; }
static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!is_full)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
END
    seq -f '    sum += word[%g];' 0 79
    cat <<'END'
    return arg;
}
int main(void)
{
    pthread_t t, left;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&left, 0, helper, 0);
    work();
END
    seq -f '    word[%g]++;' 0 79
    cat <<'END'
    pthread_mutex_lock(&lock);
    is_full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return pthread_join(t, 0);
}
END
} >late_leak.c
build late_leak
heddle races --time 4s --seed 2 --no-memory -- ./late_leak
expect 66 "... before what no run showed" "FINDING leak-"

# ... and races come before runs with delays of any length, whose failures take all the time that is left.
cat >late_race.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int is_ready;
static int n;
__attribute__((no_sanitize("thread"))) static void work(void)
{
    for (volatile int i = 0; i < 60000000; i++)
        ;
}
static void *worker(void *arg)
{
    n++;
    for (int i = 0; i < 200; i++)
        atomic_fetch_add(&is_ready, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    work();
    pthread_create(&t, 0, worker, 0);
    n++;
    usleep(1000000);
    assert(atomic_load(&is_ready) == 200);
    return pthread_join(t, 0);
}
END
build late_race
heddle races --time 4s --seed 1 --no-memory -- ./late_race
expect 66 "... and before long delays" "FINDING race-.* .n. \(int, declared at late_race.c:6\)"

# Memory: what was driven is not driven again, and what was found is found again.
heddle races --runs 20 --seed 1 --dir again --predicted --json first.json -- ./flag
expect 0 "a possible race is tried" "possible race, not brought about"
heddle races --runs 20 --seed 2 --dir again --predicted --json second.json -- ./flag
expect 0 "... and not again by the next campaign" "1 possible race was tried before"
expect 0 "... which lists it all the same" "possible race, not brought about: data at"
check "... and makes no run for it" jq -e '.races_tried_before == 1 and .race_runs == null' second.json
heddle races --runs 20 --seed 3 --dir again -- ./flag other
expect 0 "another input tries it once more" "1 possible race could not be brought about"
check "... then it was not tried before" test "$(grep -c 'tried before' err)" = 0
sed 's/return seen > 1;/return seen > 2;/' flag.c >kept.c && mv kept.c flag.c && build flag
heddle races --runs 20 --seed 4 --dir again -- ./flag
check "a changed access is tried again" test "$(grep -c 'tried before' err)" = 0
cp flag.c changed.c
printf 'int unused_here(void) { return 7; }\n' >>flag.c && build flag
heddle races --runs 20 --seed 4 --dir again -- ./flag
expect 0 "a build with the same accesses does not try them again" "1 possible race was tried before"
for name in counter twice null lock_order_two; do
    heddle races --runs 20 --seed 1 --dir again-$name --json first.json -- ./$name
    expect 66 "$name: the first campaign"
    heddle races --runs 20 --seed 2 --dir again-$name --json second.json -- ./$name
    expect 66 "... the second knows it" "[12] possible races? (was|were) tried before"
    check "... and has the same finding" test "$(jq -c '[.findings[] | [.id, .race.class, .title]] | sort' first.json)" = \
        "$(jq -c '[.findings[] | [.id, .race.class, .title]] | sort' second.json)"
    check "... which is reproduced" jq -e 'all(.findings[]; .reproduced == .tried and .tried > 0)' second.json
    check "... in one run each" jq -e '.race_runs == .races_tried_before' second.json
done
rm -r again-counter/findings
heddle races --runs 20 --seed 3 --dir again-counter -- ./counter
expect 66 "a finding that was thrown away is brought about anew" "FINDING race-"
check "... as if it were new" test "$(grep -c 'tried before' err)" = 0
heddle races --runs 20 --seed 4 --dir again-counter --suppressions race.supp -- ./counter
expect 0 "a race that is known can be suppressed" "suppressed"

# Of many possible races the one that is certain comes first: the others are behind a flag.
{
    echo '#include <pthread.h>'
    echo 'static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;'
    echo 'static int ready, sum;'
    for i in $(seq 24); do echo "static int d$i;"; done
    echo 'static int stopped;'
    echo 'static void *writer(void *arg) {'
    for i in $(seq 24); do echo "d$i = $i;"; done
    echo 'pthread_mutex_lock(&lock); ready = 1; pthread_mutex_unlock(&lock); return arg; }'
    echo 'static void *reader(void *arg) { int is; do {'
    echo 'pthread_mutex_lock(&lock); is = ready; pthread_mutex_unlock(&lock); } while (!is);'
    for i in $(seq 24); do echo "sum += d$i;"; done
    echo 'return arg; }'
    echo 'static void *stop(void *arg) { stopped = 1;'
    echo 'pthread_mutex_lock(&other); pthread_mutex_unlock(&other); return arg; }'
    echo 'static void *look(void *arg) { for (int i = 0; i < 30; i++) {'
    echo 'pthread_mutex_lock(&other); pthread_mutex_unlock(&other); } return stopped ? arg : 0; }'
    echo 'int main(void) { void *(*f[])(void *) = {stop, writer, reader, look}; pthread_t t[4];'
    echo 'for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f[i], 0);'
    echo 'for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }'
} >among.c
build among
for seed in 1 2 3; do
    heddle test --runs 20 --strategy random --seed $seed --no-memory -- ./among
    expect 66 "what is certain is driven first (seed $seed)" "stopped. \(int, declared at among.c:[0-9]+\) is (written|read) .*while"
done

# Bounded: hundreds of races are shown up to a number, the rest is counted.
{
    echo '#include <pthread.h>'
    for i in $(seq 120); do echo "static int v$i;"; done
    echo 'static void *work(void *arg) {'
    for i in $(seq 120); do echo "v$i = v$i + 1;"; done
    echo 'return arg; } int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0);'
    echo 'pthread_create(&b, 0, work, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }'
} >many.c
build many
heddle races --runs 5 --seed 1 -q -- ./many
expect 66 "many races"
n=$(grep -c '^FINDING race' out)
check "... at most 50 are shown ($n)" test "$n" -gt 5 -a "$n" -le 50

finish
