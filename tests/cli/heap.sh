#!/usr/bin/env bash
# Wrong uses of heap memory: every access of a short run is checked, whatever its site is
# known for; in long ones the real place is found by a replay; what no hook sees is noticed
# late, and the report says so; whatever was reported replays.
. "$(dirname "$0")/lib.bash"

heap_build() { gcc -g -O1 -fsanitize=thread "$ROOT/tests/target/heap/$1.c" -o "$1" || exit 1; }
replays() { # replays TIMES "what": the first finding in .heddle
    heddle replay .heddle/findings/latest/replay.heddle --times "$1" </dev/null
    expect 66 "$2" "$1( of |/)$1\b"
}
field() { # field "what" EXPRESSION: true of the first finding
    check "$1" jq -e ".findings[0].verdict.heap | $2" r.json
}
# found NAME SEED
found() {
    rm -rf .heddle
    heddle test -q --strategy random --runs 300 --seed "$2" --json r.json -- "./$1" </dev/null
    expect 66 "$1, seed $2: found" "heap"
}

heap_build private_overflow
for seed in 1 2 3 4 5 6; do
    found private_overflow $seed
    replays 5 "a site that is no scheduling point, seed $seed: replayed"
done

heap_build long_overflow
found long_overflow 1
field "a long run: the access itself" '.error == "write-past" and .bytes == 4 and .noticed == null'
replays 5 "a long run: replayed"

while read -r name error noticed; do
    heap_build "$name"
    found "$name" 1
    field "$name: noticed late" ".error == \"$error\" and .noticed == \"$noticed\""
    expect 66 "$name: the report says so" "noticed (at|when).*without instrumentation"
    replays 5 "$name: replayed"
done <<'END'
late_free write-past free
late_end write-past end
late_freed write-freed end
late_reuse write-freed reuse
END

# Runs of three million accesses are sampled from their start, but not all of them: a wrong read
# (no pattern shows it) in the middle of a hot loop, from the 20th run on. Since that depends on
# a file, it is noticed but is no finding.
cat >sometimes.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long run, sum;
static void *work(void *arg)
{
    char *a = calloc(64, 1);
    for (long i = 0; i < 3000000; i++)
        sum += a[i == 1000000 && run >= 20 ? 64 : i & 63];
    free(a);
    return arg;
}
int main(void)
{
    FILE *runs = fopen("runs", "a+");
    fputc('.', runs);
    run = ftell(runs);
    fclose(runs);
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
END
gcc -g -O1 -fsanitize=thread sometimes.c -o sometimes || exit 1
rm -rf .heddle runs
heddle test -q --strategy random --runs 40 --seed 1 -- ./sometimes
expect 98 "one in eight long runs is checked from its start" "ends with 'heap'"

heddle test -q --strategy random --runs 100 --seed 1 --no-heap -- ./late_end
expect 0 "--no-heap: nothing is looked for"
finish
