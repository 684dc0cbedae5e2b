#!/usr/bin/env bash
# run.sh [NAME...]: every class of c/ and cxx/ (or those named): its labelled bug is found, and its
# corrected twin (-DFIXED) is left in peace for TWIN seconds. TIME: seconds for the bug.
# TWIN_RUNS=N: so many runs of the twin instead. TABLE=FILE: name, kind, seconds, runs with threads, tests.
set -u
HEDDLE=${HEDDLE:?set HEDDLE to the heddle command}
HERE=$(cd "$(dirname "$0")" && pwd)
TIME=${TIME:-60} TWIN=${TWIN:-12} TWIN_RUNS=${TWIN_RUNS-} SEED=${SEED:-1} PICK=${PICK:-map}
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- $(cd "$HERE" && ls c/*.h cxx/*.hpp | sed 's,.*/,,; s,\..*,,')
for name in "$@"; do
    header=$(ls "$HERE"/c/"$name".h "$HERE"/cxx/"$name".hpp 2>/dev/null)
    source=$(ls "$HERE"/c/"$name".c 2>/dev/null)
    kind=$(sed -n 's/.*kind: \([a-z]*\).*/\1/p' "$header")
    cd "$work" && rm -rf .heddle out
    timeout 180 "$HEDDLE" gen --pick "$PICK" --seed "$SEED" --time "$TIME" --json out.json --header "$header" -- $source >out 2>err
    rc=$?
    field() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" out.json | head -1; }
    if [ "$rc" = 66 ]; then
        echo "ok $name: $kind, $(sed -n 's/^FINDING //p' out | head -1), $(field found_seconds) s, $(field found_runs) runs, $(field tests) tests"
        [ -z "${TABLE-}" ] || echo "$name $kind $(field found_seconds) $(field found_runs) $(field tests)" >>"$TABLE"
        case $kind in
        result) want=check ;; heap) want='heap\|signal\|assert\|check\|misuse' ;; deadlock) want=blocked ;; *) want=. ;;
        esac
        grep -q "^FINDING \($want\)" out || { echo "not ok $name: another kind of finding than $kind"; failed=1; }
        for cc in ${COMPILERS-gcc clang}; do
            file=$(ls .heddle/findings/*-*/gen_*.c* | head -1)
            case $file in *.cc) std=-std=c++17 ;; *) std= ;; esac
            $cc $std -Wall -Wextra -Werror -c "$file" -o /dev/null || { echo "not ok $name: $cc warns about its program"; failed=1; }
        done
        timeout 100 "$HEDDLE" replay --times 20 .heddle/findings/latest/replay.heddle >replay.out 2>&1
        grep -q "20 of 20" replay.out || { echo "not ok $name: its schedule does not fail 20 of 20 times"; tail -3 replay.out; failed=1; }
    else
        echo "not ok $name: $kind not found (status $rc)"
        sed 's/^/# /' err | tail -8
        failed=1
    fi
    [ "$TWIN" = 0 ] && continue
    rm -rf .heddle
    timeout 180 "$HEDDLE" gen --pick "$PICK" --seed "$SEED" ${TWIN_RUNS:+--runs} ${TWIN_RUNS:---time $TWIN} --header "$header" -- -DFIXED $source >out 2>err
    rc=$?
    [ "$rc" = 0 ] || { echo "not ok $name: its twin: status $rc"; grep -v "^heddle:   \|source" err | sed 's/^/# /' | tail -40; sed 's/^/# /' out | head -30; failed=1; }
done
exit $failed
