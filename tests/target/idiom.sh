#!/usr/bin/env bash
# idiom.sh: the programs of idiom/ against Heddle: each fails if and only if a run
# exposes the iRoot of its header, so that who fails has been driven there.
#
#   HEDDLE=path/to/heddle tests/target/idiom.sh [NAME...]
#
# For some seeds and strategies: a campaign finds the expected kind; the recorded run
# shows the iRoot; the same campaign one run shorter does not. Then, for some seeds: the
# iRoot is predicted from three runs, and driving the program into it (--target)
# takes at most two attempts. The header writes elements as in cover/ (cover.sh).
# Environment: STRATEGIES, SEEDS, RUNS, ATTEMPTS (2).
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HEDDLE=$(realpath "${HEDDLE:-$here/../../build/bin/heddle}")
: "${STRATEGIES:=pct pos}" "${SEEDS:=1 2 3}" "${RUNS:=3000}" "${ATTEMPTS:=2}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
# {"12": "A", ...}: line numbers and their labels.
labels() { sed -n 's|.*/\* \([A-Z]\) \*/$|\1|p;t;s/.*//p' "$1" | jq -Rn '[inputs] | to_entries |
    map(select(.value != "") | {key: (.key + 1 | tostring), value}) | from_entries'; }
# Elements of iroot in JSON on standard input, as the header writes them.
elements() {
    jq -r --argjson names "$(labels "$1")" '(.coverage // .).elements[] | select(.metric == "iroot") |
        "\(.sub)(" + (.sites | map($names[.line | tostring] // "line\(.line)") | join(",")) + ")"'
}

say() { echo "$*"; return 1; }

# Idiom 5 may be named from either side.
other_side() { sed -E 's/^5\((.),(.),(.),(.)\)$/5(\3,\4,\1,\2)/' <<<"$1"; }
has() { grep -qxF -e "$1" -e "$(other_side "$1")"; }

one() { # one FILE STRATEGY SEED
    local file=$1 name want kind runs
    name="$(basename "$file" .c), $2, seed $3"
    want=$(header "$file" iroot)
    rm -rf .heddle
    "$HEDDLE" test -q --no-minimize --coverage iroot --strategy "$2" --runs "$RUNS" --seed "$3" \
        --json found.json -- ./prog >log 2>&1 </dev/null
    [ $? -eq 66 ] || say "FAIL  $name: not found: $(tail -n 1 log)" || return
    kind=$(jq -r '.findings[0].kind' found.json)
    [[ $kind = $(header "$file" expect)* ]] || say "FAIL  $name: $kind" || return
    "$HEDDLE" replay -q --coverage iroot --json shown.json .heddle/findings/latest/replay.heddle \
        >log 2>&1 </dev/null
    elements "$file" <shown.json | has "$want" ||
        say "FAIL  $name: failed without $want: $(elements "$file" <shown.json | xargs)" || return
    runs=$(jq -r '.findings[0].runs_until' found.json)
    if [ "$runs" -gt 1 ]; then
        rm -rf .heddle
        "$HEDDLE" test -q --coverage iroot --strategy "$2" --runs $((runs - 1)) --seed "$3" -- ./prog \
            >log 2>&1 </dev/null || say "FAIL  $name: exit $? in $((runs - 1)) runs" || return
        ! "$HEDDLE" coverage --list iroot --json - 2>/dev/null | elements "$file" | has "$want" ||
            say "FAIL  $name: $want without a failure" || return
    fi
    echo "ok    $name: $want in $runs runs, not before"
}

# A run of the profile may show the iRoot by chance: then there is nothing to drive.
drive() { # drive FILE SEED
    local file=$1 name id tried
    name="$(basename "$file" .c), driven, seed $2"
    rm -rf .heddle
    "$HEDDLE" test -q --no-minimize --profile --runs 3 --seed "$2" -- ./prog >log 2>&1 </dev/null
    [ $? -ne 66 ] || { echo "      $name: met in the profile"; return; }
    id=$("$HEDDLE" candidates -q --json - 2>>log | jq -r --argjson names "$(labels "$file")" '.candidates[] |
        "\(.idiom)(" + (.sites | map($names[capture(":(?<line>[0-9]+)#").line] // "?") | join(",")) + ") \(.id)"' |
        while read -r element id; do ! has "$(header "$file" iroot)" <<<"$element" || echo "$id"; done)
    [ -n "$id" ] || say "FAIL  $name: not predicted: $(tail -n 1 log)" || return
    "$HEDDLE" test -q --no-minimize --target "$id" --tries "$ATTEMPTS" --seed "$2" --json found.json -- ./prog \
        >log 2>&1 </dev/null
    tried=$(jq -r '.findings[0].runs_until - .drive.profile_runs' found.json 2>/dev/null)
    [ "${tried:-99}" -le "$ATTEMPTS" ] 2>/dev/null ||
        say "FAIL  $name: not in $ATTEMPTS attempts: $(jq -c .drive.all found.json)" || return
    [ "$tried" -gt 0 ] || { echo "      $name: met in the profile"; return; }
    echo "ok    $name: attempt $tried"
    driven=$((driven + 1))
}

[ $# -gt 0 ] || set -- $(cd "$here/idiom" && ls -- *.c)
for name; do
    file=$here/idiom/${name%.c}.c
    $(header "$file" build) -o prog "$file" || { failed=1; continue; }
    for strategy in $STRATEGIES; do
        for seed in $SEEDS; do one "$file" "$strategy" "$seed" || failed=1; done
    done
    driven=0
    for seed in $SEEDS; do drive "$file" "$seed" || failed=1; done
    [ $driven -gt 0 ] || say "FAIL  $name: no seed leaves anything to drive" || failed=1
done
exit $failed
