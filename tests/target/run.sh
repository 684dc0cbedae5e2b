#!/bin/bash
# run.sh: the target programs against Heddle, as their header comments ask.
#
#   HEDDLE=path/to/heddle tests/target/run.sh [--native] [buggy|heap|correct|mini|NAME|FILE ...]
#
# buggy/    some listed strategy finds it within the budget, the finding is of
#           the expected kind, and it replays 20 times out of 20
# heap/     the same; what fails is the use of heap memory
# correct/  no strategy finds anything
# mini/     the final states met are exactly those of the header
# --native  no Heddle: buggy programs must not fail always (and correct ones
#           never), correct ones are silent under the compiler's own TSan
#
# Environment: RUNS (runs per correct program over all strategies, 1000),
# WHOLE=1 (also of those whose header asks for fewer), MINI_RUNS (1000), JOBS (2), SEED (1),
# STRATEGIES ("default": none is named), EVERY (1: a correct program meets the four strategies used
# most, and of the others every EVERY-th, which ones depends on its name), KEEP=1 (keep the work folder), CC and CXX (instead of the headers' gcc and g++).
# One line per program, then "N passed, N failed"; exit 1 if any failed.
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${JOBS:=2}" "${SEED:=1}"
: "${RUNS:=1000}" "${MINI_RUNS:=1000}" "${EVERY:=1}" "${STRATEGIES:=random pct pctlarge pos surw delay rr}"
export HEDDLE RUNS MINI_RUNS SEED STRATEGIES EVERY
REPLAYS=20
NATIVE_RUNS=20

. "$here/compile.bash"

# header FILE KEY -> value of " * KEY: value"
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }

pass() { echo "ok    $label  $*"; }
fail() { echo "FAIL  $label  $*"; }

# by_compiler COMMAND: with CC and CXX in the place of gcc and g++.
by_compiler() {
    local command=$1
    [ -z "${CC:-}" ] || command=${command/#gcc /$CC }
    [ -z "${CXX:-}" ] || command=${command/#g++ /$CXX }
    echo "$command"
}

# Sets label, tmp, prog, args, opts from $file. Returns 1 if it does not build.
prepare() {
    label=$(basename "$(dirname "$file")")/$(basename "$file")
    tmp=$WORK/${label//\//.}
    mkdir -p "$tmp"
    prog=$tmp/prog
    local build library
    build=$(header "$file" build)
    library=$(header "$file" library)
    build=$(by_compiler "$build") library=$(by_compiler "$library")
    [ "${1:-}" != plain ] || { build=${build/-fsanitize=thread/}; library=${library/-fsanitize=thread/}; }
    read -ra args <<<"$(header "$file" args)"
    read -ra opts <<<"$(header "$file" options)"
    [ -z "$library" ] || compile "$library" "$prog.so" "$file" 2>"$tmp/build.log" ||
        { fail "does not build: $library"; return 1; }
    compile "$build" "$prog" "$file" 2>"$tmp/build.log" || { fail "does not build: $build"; return 1; }
}

# The header of a buggy program must say everything, and its two labels stand
# at the end of one line each.
check_header() {
    local key label_name
    for key in cause build expect budget strategy pair preemptions; do
        [ -n "$(header "$file" $key)" ] || { fail "header has no $key"; return 1; }
    done
    for label_name in A B; do
        [ "$(grep -cE "(/\* $label_name \*/|// $label_name)\$" "$file")" = 1 ] ||
            { fail "label $label_name does not stand on exactly one line"; return 1; }
    done
}

# heddle_test STRATEGY RUNS [OPTION...] -> exit status; log and result.json in $tmp
heddle_test() {
    local strategy=$1 runs=$2 coverage=none how
    [ "$strategy" != tsa ] || coverage=syncpair # what it goes by
    [ "$strategy" != map ] || coverage=map
    shift 2
    rm -rf "$tmp/dir" "$tmp/result.json"
    how=(--strategy "$strategy" --coverage $coverage)
    [ "$strategy" != default ] || how=() # as users have it
    "$HEDDLE" test ${how[@]+"${how[@]}"} --runs "$runs" --seed "$SEED" --dir "$tmp/dir" -q \
        --json "$tmp/result.json" "$@" ${opts[@]+"${opts[@]}"} -- "$prog" \
        ${args[@]+"${args[@]}"} >"$tmp/out" 2>"$tmp/err" </dev/null
}

# the name a finding goes by, from the word in the header
kind_name() { [ "$1" = assert ] && echo assertion || echo "$1"; }

one_buggy() {
    prepare && check_header || return
    local want budget s status kind replay said
    want=$(kind_name "$(header "$file" expect)")
    budget=$(header "$file" budget)
    for s in $(header "$file" strategy | tr ',' ' '); do
        heddle_test "$s" "${budget%% *}"
        status=$?
        [ $status -ne 0 ] || continue
        [ $status -eq 66 ] || { fail "$s: exit $status: $(tail -n 1 "$tmp/err")"; return; }
        kind=$(jq -r '.findings[0].kind' "$tmp/result.json" 2>&1)
        [ "$kind" = "$want" ] || { fail "$s: found $kind, expected $want"; return; }
        replay=$(find "$tmp/dir/findings" -name replay.heddle 2>/dev/null | head -n 1)
        [ -n "$replay" ] || { fail "$s: no replay file"; return; }
        said=$("$HEDDLE" replay "$replay" --times $REPLAYS 2>&1 </dev/null)
        status=$?
        if [ $status -ne 66 ] || ! grep -qE "\b$REPLAYS( of |/)$REPLAYS\b" <<<"$said"; then
            fail "$s: replay: exit $status: $(tail -n 1 <<<"$said")"
            return
        fi
        pass "$s: $kind in $(jq -r '.findings[0].runs_until // .runs' "$tmp/result.json") runs"
        return
    done
    fail "not found in ${budget%% *} runs by $(header "$file" strategy)"
}

# strategies_for LABEL: see EVERY
strategies_for() {
    local s i
    i=$(cksum <<<"$1" | cut -d' ' -f1)
    for s in $STRATEGIES; do
        case $s in
        default | random | pct | pos) echo "$s" ;;
        *) [ $((i++ % EVERY)) -ne 0 ] || echo "$s" ;;
        esac
    done
}

one_correct() {
    prepare || return
    # nor races, but for those by the letter of the language that the header lists
    [[ $(header "$file" races) != none* ]] || local -x HEDDLE_OPTIONS=
    local s status n=0 most mine
    mine=$(strategies_for "$label")
    for s in $STRATEGIES; do n=$((n + 1)); done
    most=$(header "$file" runs)
    [ -z "$most" ] || [ -n "${WHOLE:-}" ] || [ "$RUNS" -le "${most%%[!0-9]*}" ] || RUNS=${most%%[!0-9]*}
    for s in $mine; do
        heddle_test "$s" $(((RUNS + n - 1) / n))
        status=$?
        if [ $status -ne 0 ]; then
            fail "$s: exit $status" \
                "$(jq -r '.findings[0].kind // empty' "$tmp/result.json" 2>/dev/null)"
            return
        fi
    done
    pass "silent under $(wc -w <<<"$mine") strategies"
}

# The states met in many random runs. With enough of them all are met: the
# rarest state of these programs has a chance of more than 1/90 in a uniform
# walk, so 1000 runs miss it with a probability below (1-1/90)^1000 = 1.4e-5.
one_mini() {
    prepare || return
    local want met status
    heddle_test random "$MINI_RUNS" --keep-going --show-output
    status=$?
    want=$(header "$file" finals | sed 's/ | /\n/g' | sort -u)
    met=$(cat "$tmp/out" "$tmp/err" | grep -xE -- '-?[0-9]+( -?[0-9]+)*' | sort -u)
    ! jq -e '[.findings[].kind] | any(. == "deadlock" or . == "lost-wakeup") | select(.)' "$tmp/result.json" >/dev/null 2>&1 ||
        met=$(printf '%s\ndeadlock\n' "$met" | sed '/^$/d' | sort -u)
    if [ "$(wc -l <<<"$want")" != "$(header "$file" states)" ]; then
        fail "header: states and finals differ"
    elif [ "$met" != "$want" ]; then
        fail "exit $status, met: $(paste -sd'|' <<<"$met"), expected: $(paste -sd'|' <<<"$want")"
    else
        pass "$(wc -l <<<"$want") states"
    fi
}

# native_failures PROGRAM RUNS -> how often it did not end well
native_failures() {
    local i bad=0
    for ((i = 0; i < $2; i++)); do
        timeout 5 "$1" ${args[@]+"${args[@]}"} >"$tmp/out" 2>&1 </dev/null || bad=$((bad + 1))
        [ $bad -lt 5 ] || [ $((i + 1)) -gt $bad ] || break # fails always: seen enough
    done 2>/dev/null
    echo $bad
}

one_native() {
    prepare plain || return
    local dir=${label%%/*} bad
    bad=$(native_failures "$prog" $NATIVE_RUNS)
    case $dir in
    buggy | heap)
        check_header || return
        [ "$bad" -lt $((NATIVE_RUNS * 3 / 4)) ] ||
            { fail "$bad of $NATIVE_RUNS native runs fail"; return; }
        ;;
    correct)
        [ "$bad" -eq 0 ] || { fail "$bad of $NATIVE_RUNS native runs fail"; return; }
        case $(header "$file" tsan) in
        skip*) ;;
        *)
            prepare || return
            bad=$(TSAN_OPTIONS=halt_on_error=1 native_failures "$prog" $NATIVE_RUNS)
            [ "$bad" -eq 0 ] || { fail "$bad of $NATIVE_RUNS runs fail under TSan"; return; }
            ;;
        esac
        ;;
    mini)
        if [ "$bad" -eq 0 ] &&
            ! header "$file" finals | sed 's/ | /\n/g' | grep -qxF -- "$(cat "$tmp/out")"; then
            fail "a final state that is not listed: $(cat "$tmp/out")"
            return
        fi
        ;;
    esac
    pass "$bad of $NATIVE_RUNS native runs fail"
}

if [ "${1:-}" = --one ]; then
    file=$3
    if [ "$2" = native ]; then
        one_native
    else
        case $(basename "$(dirname "$file")") in
        buggy | heap) one_buggy ;;
        correct) one_correct ;;
        mini) one_mini ;;
        esac
    fi
    exit 0
fi

mode=heddle
[ "${1:-}" != --native ] || { mode=native; shift; }
[ $mode = native ] || [ -x "$HEDDLE" ] || { echo "run.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
[ $# -gt 0 ] || set -- buggy heap correct mini
files=()
for what; do
    found=()
    if [ -f "$what" ]; then
        found=("$(realpath "$what")")
    elif [ -d "$here/$what" ]; then
        found=("$here/$what"/*.c "$here/$what"/*.cc)
    else
        found=("$here"/*/"$what".c "$here"/*/"$what".cc "$here"/"$what".c "$here"/"$what".cc)
    fi
    n=${#files[@]}
    for f in "${found[@]}"; do [ ! -f "$f" ] || files+=("$f"); done
    [ ${#files[@]} -gt "$n" ] || { echo "run.sh: no target program '$what'" >&2; exit 64; }
done
WORK=$(mktemp -d)
export WORK
[ -n "${KEEP:-}" ] && echo "work folder: $WORK" >&2 || trap 'rm -rf "$WORK"' EXIT
printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one $mode | tee "$WORK/summary"
passed=$(grep -c '^ok' "$WORK/summary")
failed=$((${#files[@]} - passed))
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
