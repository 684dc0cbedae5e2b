#!/usr/bin/env bash
# A session of an editor: heddle-gdb over gdb's machine interface. It stops at the step that
# decides, in the program's own code; heddle back goes one switch back; values are right.
. "$(dirname "$0")/lib.bash"
if ! command -v gdb >/dev/null; then
    echo "ok 1 - skipped: no gdb"
    exit 0
fi
cat >slots.c <<'END'
#include <assert.h>
#include <pthread.h>
static volatile int used = 1, taken[2];
static void *pop(void *arg)
{
    if (used > 0) {
        int i = used - 1;
        used = i;
        assert(i >= 0);
        taken[i]++;
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, pop, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
END
build slots
heddle test --seed 1 --strategy random -- ./slots
expect 66 "a finding"
report=.heddle/findings/latest/report.json
file=.heddle/findings/latest/replay.heddle
decides=$(sed -n 's/^decides //p' $file)
old=$(jq -r .decided.first.old $report)
tid=$(jq .decided.first.tid $report)
# The last switch before the step that decides, from the recorded choices.
before=$(awk -v d="$decides" '$1 == "pick" { if (!n[$2]++ && $2) s = 1; else s = 0
    if (step + 1 + s < d) at = step + 1 + s; step += $3 } END {print at}' $file)
export HEDDLE_REPLAY=$PWD/$file
mkdir bin
ln -s "$HEDDLE" bin/heddle
cp "$ROOT/cmake/heddle-gdb" bin/
mi() { timeout 120 bin/heddle-gdb --interpreter=mi2 >out 2>err; rc=$?; }
printf '%s\n' "-file-exec-and-symbols $PWD/slots" "-exec-run" "-stack-info-frame" "-data-evaluate-expression used" \
    "-thread-info" '-interpreter-exec console "heddle where"' '-interpreter-exec console "heddle back"' \
    '-stack-info-frame' '-interpreter-exec console "heddle where"' '-exec-continue' '-gdb-exit' | mi
check "it ends by itself: status $rc" test $rc -lt 124
check "it stops in the user's frame" grep -Eq 'stopped,.*reason="breakpoint-hit".*func="pop".*file="[^"]*slots.c"' out
check "... at the step that decides" grep -q "Step $decides of .*, which decides" out
check "the value is the old one" grep -q "value=\"$old\"" out
check "threads are named" bash -c "grep -q 'name=\"T0 (main)\"' out && grep -q 'name=\"T$tid (pop)\"' out"
check "heddle where" grep -q "step $decides of" out
check "heddle back goes one switch back: to step $before" grep -q "Step $before of" out
check "... and is there" grep -q "step $before of" out
check "it fails in the end, as recorded" grep -Eq 'signal-name="SIGABRT"' out

heddle replay --until "$decides" $file
expect 66 "--until" "After step $decides of .*T0 \(main\).*did  step $decides: write used $old -> .*slots.c:8 in pop"
heddle replay --until 9999 $file
expect 64 "a step that is not there" "the run has [0-9]+ steps"
heddle replay --until x $file
expect 64 "no step" "wants a step"
heddle replay --at 3 $file
expect 64 "--at without gdb" "is for --gdb"
timeout 120 "$HEDDLE" replay --gdb --at "$before" $file -- -batch -ex run -ex 'heddle where' >out 2>err
check "--at and options for gdb" grep -q "step $before of" out
finish
