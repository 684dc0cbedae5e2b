#!/usr/bin/env bash
# What is left out on the way from the target to the coverage must not change it: the
# filter in the target (--no-filter), runs that went as one before, and how many runs
# the host is behind.
. "$(dirname "$0")/lib.bash"

third=$(ls "$ROOT"/tests/target/correct/*.c* | sed -n '0~3s|.*/\(.*\)\.c*|\1|p') # all in long/filter.sh
check "every access observed or only those that matter: the same coverage" \
    env JOBS=2 SEEDS=1 "$ROOT/tests/target/filter.sh" mini $third
sed 's/^/# /' check.log | tail -n 1

# Few schedules, so most runs repeat one, and enough of them to come again in turns.
cat >few.c <<'END'
#include <pthread.h>
static int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    x++;
    pthread_mutex_lock(&lock);
    y += x;
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
    return 0;
}
END
build few

# campaign DIR ARGS...: all that it covered and in how many runs, one a line; its curve
campaign() {
    local dir=$1
    shift
    rm -rf "$dir"
    "$HEDDLE" test -q --strategy surw --runs 300 --seed 7 --coverage all --dir "$dir" "$@" -- ./few >/dev/null 2>&1 ||
        { echo "status $?"; return; }
    for m in iroot pset hapset syncpair map cfp race defuse; do
        "$HEDDLE" coverage -q --dir "$dir" --list "$m" --json - |
            jq -c '.elements[] | [.metric, .sub, (.sites | map(.site)), .runs]'
    done | sort
    "$HEDDLE" coverage -q --dir "$dir" --curve --json - |
        jq -c '.campaigns[0].curve | map_values(map([.run, .covered]))'
}
first=$(campaign single --check true) # runs are given one by one
check "a campaign covers something" test "$(wc -l <<<"$first")" -gt 20
same=0
for i in $(seq 8); do
    now=$(campaign "batch$i")
    if [ "$now" = "$first" ]; then
        same=$((same + 1))
    else
        diff <(echo "$first") <(echo "$now") | sed 's/^/# /' | head -n 5
    fi
done
check "in batches, the same coverage as one by one: $same of 8" test $same = 8

# Loops over much memory, most of it one thread's own: that is left out, and runs whose
# events fill the ring by halves go on.
gcc -g -O1 -fsanitize=thread -o halo "$ROOT/tests/target/correct/halo.c"
heddle test --strategy random --seed 1 --runs 40 --coverage all --json r.json -- ./halo
expect 0 "a loop over much memory is observed to its end"
check "and memory of one thread only is left out" jq -e '.coverage.events / .runs < 40000' r.json

# Much memory that main fills and a worker works on: some of it is enough, but for the few
# cells at the end that are accessed in another way.
cat >hand.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static long n, sum, *cell;
static short *half;
static pthread_barrier_t barrier;
static void smooth(long from, long to)
{
    for (long i = from; i < to; i++) {
        long old = cell[i];
        cell[i] = old / 2 + cell[i] % 3;
        half[i] += (short)old;
    }
}
static void *work(void *arg)
{
    long me = (long)arg;
    smooth(me * n / 2, (me + 1) * n / 2);
    pthread_barrier_wait(&barrier);
    if (!me)
        cell[n - 3] = 7; /* of the other thread's */
    pthread_barrier_wait(&barrier);
    if (me)
        cell[n - 3]++;
    else
        memset(&cell[n / 2 - 6], 0, 2 * sizeof *cell); /* its own, in one go */
    return NULL;
}
int main(int argc, char **argv)
{
    n = atol(argv[1]);
    cell = malloc((size_t)n * sizeof *cell);
    half = malloc((size_t)n * sizeof *half);
    for (long i = 0; i < n; i++) {
        cell[i] = i;
        half[i] = (short)i;
    }
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    sum = cell[n - 1] + cell[n - 3] + half[n - 2]; /* main looks at these again */
    return 0;
}
END
build hand -O1
for size in 400 60000; do
    rm -rf .heddle
    heddle test --strategy random --seed 1 --runs 12 --coverage all --json $size.json -- ./hand $size
    expect 0 "$size cells are handed over"
    for m in iroot pset hapset syncpair map cfp race defuse; do
        "$HEDDLE" coverage -q --list "$m" --json - |
            jq -c '.elements[] | [.metric, .sub, (.sites | map(.site))]'
    done | sort >$size.list
done
check "something is covered" test "$(wc -l <400.list)" -gt 20
check "few cells or many, the same coverage" diff 400.list 60000.list
check "and of many redundant ones not all were streamed" jq -e '.coverage.events / .runs < 150000' 60000.json

# What is not streamed may still be freed memory, here in a run that does not learn.
cat >gone.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 20000 };
static long *cell;
static pthread_barrier_t barrier;
static __attribute__((noinline)) void touch(long i) { cell[i]++; }
static void *work(void *arg)
{
    for (long i = 0; i < N; i++)
        touch(i);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    touch(N - (long)arg);
    return NULL;
}
int main(int argc, char **argv)
{
    FILE *runs = fopen("runs", "a+");
    fputc('.', runs);
    long run = ftell(runs);
    fclose(runs);
    pthread_t t;
    cell = malloc(N * sizeof *cell);
    for (long i = 0; i < N; i++)
        cell[i] = i;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work, (void *)atol(argv[1]));
    pthread_barrier_wait(&barrier);
    if (run == 12)
        free(cell);
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
    return 0;
}
END
build gone -O1
for at in 7 8 9; do # hardly all of them among those that are streamed
    rm -rf .heddle runs
    heddle test --strategy random --seed 1 --runs 14 --coverage all --no-minimize -- ./gone $at
    expect 66 "freed memory, cell $at from the end" "freed"
done
finish
