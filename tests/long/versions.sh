#!/usr/bin/env bash
# versions.sh: six histories of six commits (tests/versions): commit 2 changes comments, 3 code that
# no thread but main runs, 4 brings a bug, 5 comments again. Each commit is tested with the store of
# those before it, by SEEDS seeds (3); the bug besides from nothing.
# Fails if a bug is not found after its commit or lost in the next, if the median over all of the
# time to find it, against a campaign from nothing, is more than MOST (25) percent, or if commits
# 2 and 3 take more than IDLE (3) percent of the runs of the campaign of commit 1 in the median. Time
# is counted in runs: what the machine does besides does not count.
# Then the warnings that `heddle diff` gives without a run: 19 changes to be warned of, 19 not.
# Environment: SEEDS (3; 0: only the warnings), MOST, IDLE
set -u
: "${SEEDS:=3}" "${MOST:=25}" "${IDLE:=3}"
export HEDDLE_OPTIONS=--no-race
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$here/../versions
passed=0
failed=0
bad() { failed=$((failed + 1)); echo "not ok - $*"; }
good() { passed=$((passed + 1)); }

# commit HISTORY N: ./prog as it was then
commit() {
    awk -v v="$2" -f "$sources/commit.awk" "$sources/$1.c" >prog.c &&
        gcc -I"$sources" -g -O1 -fsanitize=thread prog.c -o prog || exit 99
}
# campaign SEED [OPTIONS...]: sets rc and runs (of the campaign)
campaign() {
    local seed=$1
    shift
    rm -f r.json
    timeout 300 "$HEDDLE" test -q --no-minimize --seed "$seed" --json r.json "$@" -- ./prog >out 2>err </dev/null
    rc=$?
    runs=$(jq -r .runs r.json)
}
median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'; }

history() { # history NAME SEED
    rm -rf .heddle fresh
    commit "$1" 1
    campaign "$2"
    local all=$runs
    [ "$rc" = 0 ] && good || bad "$1 seed $2: commit 1: status $rc"
    for n in 2 3; do
        commit "$1" "$n"
        campaign "$2"
        [ "$rc" = 0 ] && good || bad "$1 seed $2: commit $n: status $rc"
        awk -v a="$runs" -v b="$all" 'BEGIN { print 100 * a / b }' >>idle
        [ "$n" = 3 ] || { [ "$runs" = 1 ] && good || bad "$1 seed $2: commit 2 changes comments: $runs runs"; }
    done
    commit "$1" 4
    campaign "$2"
    local new=$runs
    [ "$rc" = 66 ] && good || bad "$1 seed $2: commit 4 brings a bug: status $rc"
    campaign "$2" --dir fresh
    [ "$rc" = 66 ] || echo "# $1 seed $2: from nothing it is not found"
    awk -v a="$new" -v b="$runs" 'BEGIN { print 100 * a / b }' >>ratio
    echo "$1 seed $2: commit 1 $all runs, commit 4 found after $new runs, from nothing after $runs"
    commit "$1" 5
    campaign "$2"
    [ "$rc" = 66 ] && good || bad "$1 seed $2: lost in commit 5: status $rc"
}
: >ratio
: >idle
for file in "$sources"/*.c; do
    name=$(basename "$file" .c)
    [[ $name = warn* ]] && continue
    for ((seed = 1; seed <= SEEDS; seed++)); do
        history "$name" "$seed"
    done
done
r=$(median <ratio)
i=$(median <idle)
echo "runs until a new bug is found, against a campaign from nothing: median $r %"
echo "runs of a commit that changes nothing for threads, against a whole campaign: median $i %"
awk -v a="$r" -v b="$MOST" 'BEGIN { exit !(a <= b) }' && good || bad "more than $MOST %"
awk -v a="$i" -v b="$IDLE" 'BEGIN { exit !(a <= b) }' && good || bad "more than $IDLE %"

# ---- warnings without a run -------------------------------------------------------------------
warnings() { # warnings NAME: changes of NAME.c by NAME.txt
    rm -rf .heddle
    cp "$sources/$1.c" prog.c
    gcc -g -O1 -fsanitize=thread prog.c -o prog || exit 99
    campaign 1 --runs 60
    cp prog old
    while IFS='|' read -r kind what edit; do
        [ "$kind" = warns ] || [ "$kind" = silent ] || continue
        sed "$edit" "$sources/$1.c" >prog.c
        cmp -s prog.c "$sources/$1.c" && bad "$what: nothing was changed"
        gcc -g -O1 -fsanitize=thread prog.c -o prog 2>/dev/null || { bad "$what: does not compile"; continue; }
        "$HEDDLE" diff old prog >out 2>err
        if grep -q 'is now' out; then is=warns; else is=silent; fi
        if [ "$is" = "$kind" ]; then good; else bad "$what: $is instead of $kind"; sed 's/^/#   /' out; fi
    done <"$sources/$1.txt"
}
warnings warn
warnings warn_pointer
warnings warn_table
warnings warn_flow
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
