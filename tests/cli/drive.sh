#!/usr/bin/env bash
# The default of `heddle test`: predicts orders that were not tested, targets them,
# remembers them; and `heddle candidates`.
. "$(dirname "$0")/lib.bash"

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
counts() { jq -r ".drive | $1" r.json; }

# A program that fails if and only if one iRoot of an idiom is exposed: two attempts at
# any candidate are enough, however rare that order is.
for f in "$ROOT"/tests/target/idiom/*.c; do
    name=$(basename "$f" .c)
    gcc -g -O1 -fsanitize=thread "$f" -o "$name" || { echo "cannot build $name"; exit 1; }
    for seed in 1 2 3; do
        rm -rf .heddle
        heddle test --no-minimize --seed $seed --json r.json -- "./$name"
        expect 66 "$name, seed $seed: found"
        check "$name, seed $seed: every candidate it targeted was reached at once" \
            jq -e '.drive.all.hit == .drive.all.tried and .drive.random_runs <= .drive.active_runs' r.json
        case $name in
        idiom1 | idiom5_lock) check "$name, seed $seed: predicted by the first run, driven by the second" \
            jq -e '.findings[0].runs_until == 2' r.json ;;
        esac
    done
done

# A few plain runs before, which drive nothing, do not keep the first run from telling everything.
for seed in 1 2 3; do
    rm -rf .heddle
    heddle test --strategy stay --runs 3 --seed 1 -- ./idiom1
    heddle test --no-minimize --seed $seed --json r.json -- ./idiom1
    check "idiom1 after plain runs, seed $seed: driven by the second run" jq -e '.findings[0].runs_until == 2' r.json
done
rm -rf .heddle

# Memory of a thread's own is told in the first run only: it does not make the program a large one, of which less is
# observed.
cat >own.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
static volatile int own[2][1000];
static void *work(void *arg)
{
    volatile int *mine = own[(long)arg];
    for (int i = 0; i < 40000; i++)
        mine[i % 1000] += i;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        total += mine[i] > 0;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
gcc -g -O1 -fsanitize=thread own.c -o own || { echo "cannot build own"; exit 1; }
rm -rf .heddle
heddle test --seed 1 --runs 6 --json r.json -- ./own
expect 0 "threads with much memory of their own: correct"
check "... every metric is observed, of whole runs" \
    jq -e '(.coverage.metrics | any(.name == "map" and .covered > 0)) and .coverage.sampled == 0' r.json
check "... and each of them is predicted from" jq -e '.drive.left_out_runs == 0' r.json

# Long runs that bring nothing new: of most of them nothing is predicted any more, and the result says of how many.
cat >alike.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *work(void *arg)
{
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&m);
        sum++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    return pthread_join(t, NULL) || sum != 40000;
}
END
gcc -g -O1 -fsanitize=thread alike.c -o alike || { echo "cannot build alike"; exit 1; }
rm -rf .heddle
heddle test --profile --seed 1 --runs 30 --json r.json -- ./alike
expect 0 "long runs that are alike: correct"
check "... some are left out of prediction, not all" \
    jq -e '.coverage.sampled > 0 and .drive.left_out_runs > 5 and .drive.left_out_runs < .runs' r.json
rm -rf .heddle
heddle test --seed 1 --runs 6 --coverage iroot --json r.json -- ./own
expect 0 "... with a metric by name"
check "... what it does not share is not streamed in any run" jq -e '.coverage.events < 10000' r.json

# A correct program with orders left: the campaign ends by itself, and says how.
cat >hand.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int box, full, extra;
static void *put(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        box = i;
        full = 1;
        pthread_mutex_unlock(&m);
        if (arg)
            __atomic_fetch_add(&extra, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}
static void *take(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        if (full)
            full = box < 0;
        pthread_mutex_unlock(&m);
        if (arg)
            __atomic_fetch_add(&extra, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, NULL, put, argc > 1 ? argv : NULL);
    pthread_create(&b, NULL, take, argc > 1 ? argv : NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
build hand
rm -rf .heddle
heddle test --seed 7 --json r.json -- ./hand
expect 0 "a correct program stays silent, the campaign ends by itself" "orders of events that could"
first=$(counts .all.predicted)
check "something was predicted" test "$first" -gt 3
check "and nothing is left" test "$(counts .open)" -eq 0
heddle test --seed 8 --json r.json -- ./hand
expect 0 "again"
check "what was exposed or tried often enough is not targeted again" \
    test "$(counts .all.tried)" -le $((first / 4))
heddle test --seed 9 --json r.json -- ./hand more
expect 0 "another input" "orders of events"
check "only what the first input did not test" test "$(counts .all.predicted)" -gt 0

heddle candidates --all --json c.json
expect 0 "candidates as JSON"
check "with ids, states and sites" jq -e '.candidates | length > 3 and
    all(.id and .state and .why and (.sites | length > 1))' c.json
one=$(jq -r '.candidates[0].idiom' c.json)
heddle candidates --all --idiom "$one"
expect 0 "candidates of one idiom" "idiom $one .*hand.c:[0-9]+ => "
check "and of no other" bash -c "! grep -q 'idiom [^$one]' out"
check "of this build" bash -c '! grep -q "built anew" out err'
id=$(jq -r '.candidates[0].id' c.json)
heddle test --target "${id:0:9}" --no-memory --runs 20 --json r.json -- ./hand
expect 0 "one candidate alone"
heddle test --profile --runs 10 --json r.json -- ./hand
expect 0 "only predicting"
check "drives nothing" test "$(counts .active_runs)" -eq 0

# The same seed gives the same campaign.
for i in 1 2 3; do
    heddle test --dir "same$i" --seed 11 --runs 150 --json r.json -- ./hand
    jq -S 'del(.drive.predict_seconds) | {steps, switches, drive}' r.json >"same$i.json"
done
check "the same seed, the same campaign" cmp same1.json same2.json
check "... always" cmp same1.json same3.json

# In a store that knows the program --no-memory begins as in an empty one, by whatever strategy.
for how in active tsa; do
    for i in 1 2; do
        heddle test --strategy $how --dir "old-$how" --no-memory --seed 11 --runs 100 --coverage iroot,syncpair \
            --json r.json -- ./hand
        jq -S 'del(.drive.predict_seconds) | {steps, switches, drive, runs,
            covered: [.coverage.metrics[] | {name, covered, new}]}' r.json >"old$i.json"
    done
    check "--no-memory, $how: the same campaign again" cmp old1.json old2.json
done

# Killed in the middle: what was tried is remembered.
heddle test --dir killed --seed 3 --runs 400 --json r.json -- ./hand
rm -rf killed
"$HEDDLE" test -q --dir killed --seed 3 --time 60s -k -- ./hand >/dev/null 2>&1 &
pid=$!
for _ in $(seq 600); do "$HEDDLE" candidates -q --dir killed --all 2>/dev/null | grep -q . && break; sleep 0.1; done
kill -KILL $pid
wait $pid 2>/dev/null
heddle candidates --dir killed --all
expect 0 "a killed campaign leaves its candidates"

# The server dies in the middle of a batch: what its runs targeted is targeted again.
{
    printf '#include <fcntl.h>\n#include <signal.h>\n#include <unistd.h>\n'
    sed 's|pthread_t a, b;|&\n    int fd = open("count", O_WRONLY \| O_CREAT \| O_APPEND, 0600);\n\
    if (write(fd, "x", 1) == 1 \&\& lseek(fd, 0, SEEK_END) == 11)\n\
        kill(getppid(), SIGKILL);|' hand.c
} >dies.c
build dies
heddle test --dir dies --seed 7 --json r.json -- ./dies
expect 0 "the server died once"
check "it did" test "$(wc -c <count)" -gt 11
check "and nothing is left" test "$(counts .open)" -eq 0

# Several workers.
heddle test --dir two -j 2 --seed 5 --json r.json -- ./hand
expect 0 "two workers"
check "nothing is left either" test "$(counts .open)" -eq 0

# A program that is not the same twice is named, once, with the place.
cat >unsteady.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *go(void *arg)
{
    for (int i = 0; i < 40; i++)
        if (__builtin_ia32_rdtsc() & 64) {
            pthread_mutex_lock(&m);
            n++;
            pthread_mutex_unlock(&m);
        } else {
            __atomic_fetch_add((int *)arg, 1, __ATOMIC_SEQ_CST);
        }
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    int shared = 0;
    pthread_create(&a, NULL, go, &shared);
    pthread_create(&b, NULL, go, &shared);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
build unsteady
heddle test --dir unsteady.d --seed 1 --runs 60 --json r.json -- ./unsteady
expect 0 "not the same twice" "behaves differently under the same schedule .*unsteady.c:[0-9]+"
check "in the results as well" jq -e '.drive.unsteady | contains("unsteady.c")' r.json
heddle test --dir steady.d --seed 1 --runs 60 --json r.json -- ./hand
expect 0 "the same twice"
check "nothing to be named" jq -e '.drive | has("unsteady") and .unsteady == null' r.json

# Compound orders whose parts were never exposed are not targeted, and do not keep a
# campaign from ending (above: open == 0).
check "how many wait is said" jq -e '.drive.waiting >= 0' r.json

# One alone, without a budget: a campaign ends although the others stay open.
heddle test --target "${id:0:9}" -- ./hand
expect 0 "the target alone, without a budget" "No failure"

# Another build: its candidates are not those of the last one.
sed -i 's/i < 3/i < 4/' hand.c
build hand
heddle candidates ./hand
expect 0 "of an older build" "built anew since"
heddle test --target "${id:0:9}" --runs 20 -- ./hand
expect 99 "a candidate of an older build" "no candidate '${id:0:9}' for this program and build"

# Rare pairs that an earlier input has shown are no news for the next one.
{
    echo '#include <pthread.h>'
    echo 'static volatile int x;'
    echo 'static void *a(void *arg) {'
    for i in 1 2 3 4 5 6 7 8 9; do echo "    x = $i;"; done
    echo '    return arg; }'
    echo 'static void *b(void *arg) { int s = 0;'
    for i in 1 2 3 4 5 6 7 8 9; do echo '    s += x;'; done
    echo '    return s < 0 ? arg : 0; }'
    echo 'int main(void) { pthread_t t[2];'
    echo '    pthread_create(&t[0], 0, a, 0); pthread_create(&t[1], 0, b, 0);'
    echo '    pthread_join(t[0], 0); pthread_join(t[1], 0); return 0; }'
} >many.c
build many
heddle test --dir rare --seed 1 -- ./many
heddle test --dir rare --seed 1 --json r.json -- ./many 2
expect 0 "another input that shows nothing new"
check "is done with soon" jq -e '.runs < 40 and .coverage.metrics[0].new == 0' r.json

heddle test --target nonsense -- ./hand
expect 99 "no such candidate" "no candidate 'nonsense'.*heddle candidates"
heddle test --idioms 7 -- ./hand
expect 64 "no such idiom" "from 1 to 6"
heddle test --idioms 1 --strategy pct -- ./hand
expect 64 "a strategy does not drive" "driving"
heddle candidates --idiom 9
expect 64 "no such idiom" "1 to 6"
mkdir empty
heddle candidates --dir empty
expect 99 "nothing remembered"

exit $failed
