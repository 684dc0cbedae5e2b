#!/usr/bin/env bash
# Findings are made small and explained, by themselves and by command.
. "$(dirname "$0")/lib.bash"
racy_c
both="In that order it fails 20/20; the other way round it passes 20/20"
picks() { grep -c '^pick' "$1"; }

# ---- in a campaign
heddle test --seed 1 --strategy random --json result.json --sarif result.sarif -- ./racy
expect 66 "a campaign minimizes what it finds" "$both"
dir=.heddle/findings/latest
check "the report says which accesses" \
    sh -c "tr '\n' ' ' <out | grep -Eq '(read|write) of .counter. \\([^)]*\\) at racy.c:7 came between'"
check "... and does not guess" sh -c "! grep -q 'ikely' out"
check "the schedule as found is kept" test -e $dir/original.heddle
check "the smaller one has fewer switches" \
    test "$(picks $dir/replay.heddle)" -lt "$(picks $dir/original.heddle)"
check "the JSON says so" jq -e '.findings[0] | .decided.proven and .decided.passes == 20 and
    .minimized.preemptions == 1 and .minimized.preemptions_before > 1' result.json
check "the saved report says so" grep -q "the other way round" $dir/report.txt
check "the SARIF says so" jq -e '.runs[0].results[0].properties.proven' result.sarif
heddle replay --times 3 $dir/replay.heddle
expect 66 "the smaller schedule replays" "3 of 3 times"
heddle replay --times 3 $dir/original.heddle
expect 66 "so does the original" "3 of 3 times"

heddle test --seed 1 --strategy random --no-minimize --dir plain -- ./racy
expect 66 "--no-minimize" "most likely because"
plain=plain/findings/latest
check "... leaves it as it was found" test ! -e $plain/original.heddle
heddle test --seed 1 --strategy random --minimize-time 1ms --dir short -- ./racy
expect 66 "a time that is too short for anything does no harm" "FINDING"
heddle replay short/findings/latest/replay.heddle
expect 66 "... and what is saved replays" "1 of 1 time"

# ---- by command
cp $plain/replay.heddle before.heddle
heddle minimize -o small.heddle $plain/replay.heddle
expect 66 "minimize --output" "1 preemption instead of"
check "... changes nothing else" cmp before.heddle $plain/replay.heddle
heddle replay small.heddle
expect 66 "... and its file replays" "1 of 1 time"
heddle minimize --json min.json $plain/replay.heddle
expect 66 "minimize in place" "$both"
check "the original is kept" cmp before.heddle $plain/original.heddle
check "the file is smaller" test "$(picks $plain/replay.heddle)" -lt "$(picks before.heddle)"
check "the report was written anew" grep -q "the other way round" $plain/report.txt
check "... the JSON too" jq -e '.decided.proven' $plain/report.json
check "--json" jq -e '.command == "minimize" and .findings[0].minimized.complete' min.json
heddle minimize -q $plain/replay.heddle
expect 66 "once more" "$both"
check "the original is still the first one" cmp before.heddle $plain/original.heddle
rm -r $plain/replay.heddle
heddle minimize --replays 60 $plain/original.heddle
expect 66 "from the original" "instead of"
check "... the result is the finding's schedule" test -e $plain/replay.heddle

# ---- a run that only a check finds wrong
sed 's/assert(counter == 6);/printf("%d\\n", counter);/; s/<assert.h>/<stdio.h>/' racy.c >sum.c
build sum
heddle test --seed 1 --strategy random --check 'grep -qx 6 "$HEDDLE_STDOUT"' --dir sum.d -- ./sum
expect 66 "what the check judged is minimized as well" "$both"
heddle minimize -q sum.d/findings/latest/original.heddle
expect 66 "... by command, too" "$both"
heddle replay sum.d/findings/latest/replay.heddle
expect 66 "... and replays" "1 of 1 time"
# Calling exit() is no check of the program's own.
sed 's/return 0;/exit(0);/; s/<stdio.h>/<stdio.h>\n#include <stdlib.h>/' sum.c >sum_exit.c
build sum_exit
heddle test --seed 1 --strategy random --check 'grep -qx 6 "$HEDDLE_STDOUT"' --minimize-time 20s \
    --dir exit.d -- ./sum_exit
expect 66 "... of a program that calls exit()" "The check after the run failed" "$both"

# ---- what cannot be made smaller
correct_c
heddle run --seed 1 -- ./correct
heddle minimize .heddle/last.heddle
expect 64 "a run that did not fail" "did not fail: there is nothing to minimize"
heddle minimize nosuch.heddle
expect 99 "no such file" "nosuch.heddle"
heddle minimize
expect 64 "no file at all" "no replay file"

# Fails in every second run, whatever the schedule.
cat >flaky.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static void *odd(void *arg)
{
    int n = 0;
    FILE *f = fopen("count", "r+");
    assert(f && fscanf(f, "%d", &n) == 1);
    rewind(f);
    fprintf(f, "%d\n", n + 1);
    fclose(f);
    assert(n % 2 == 0);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, odd, 0);
    pthread_join(a, 0);
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&b, 0, (void *(*)(void *))pthread_mutex_lock, &m);
    pthread_mutex_trylock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(b, 0);
    return 0;
}
END
build flaky -w
echo 0 >count
heddle test --seed 1 --dir flaky.d -- ./flaky
expect 66 "a failure that does not come each time" \
    "only [0-4] gave the same failure.*Not made smaller: its schedule does not lead to it each time"
check "... is not passed off as minimized" \
    jq -e '.minimized.done == false and (has("decided") | not)' flaky.d/findings/latest/report.json
heddle minimize flaky.d/findings/latest/replay.heddle
expect 98 "minimize refuses it and says why" "not minimized: .* in [0-4] of 5 replays"

# ---- budget and Ctrl-C
cat >slow.c <<'END'
#include <assert.h>
#include <pthread.h>
static int counter;
static void *add(void *arg)
{
    for (int i = 0; i < 40; i++) {
        counter++;
        if (i % 4 == 0)
            for (volatile long k = 0; k < 400000; k++)
                ;
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
    assert(counter == 80);
    return 0;
}
END
build slow
heddle test --seed 1 --strategy random --no-minimize --dir slow.d -- ./slow
expect 66 "a slow program fails"
began=$SECONDS
heddle minimize --time 2s -o s.heddle slow.d/findings/latest/replay.heddle
expect 66 "minimize within a budget" "instead of"
check "... that is kept" test $((SECONDS - began)) -le 8
heddle replay s.heddle
expect 66 "... and whose result replays" "1 of 1 time"
timeout -s INT 3 "$HEDDLE" minimize --time 100s slow.d/findings/latest/replay.heddle >out 2>err
rc=$?
[ $rc = 124 ] && rc=66 # timeout reports that it sent the signal
expect 66 "Ctrl-C" "instead of"
heddle replay slow.d/findings/latest/replay.heddle
expect 66 "... keeps what was found" "1 of 1 time"
finish
