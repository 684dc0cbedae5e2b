#!/usr/bin/env bash
# cover.sh: the programs of cover/ against Heddle: a campaign must cover exactly
# the elements that their header comments list, written down by hand.
#
#   HEDDLE=path/to/heddle tests/target/cover.sh [NAME...]
#
# A header line " * METRIC: SUB(SITE,...) ..." lists the elements of a metric; a
# site is the label at the end of its line, with the number of the call on that
# line if it is not the first ("A2": the write of x++); cfp lists functions. The
# sites of race and cfp have no order. Environment: RUNS (400), SEED (1).
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HEDDLE=$(realpath "${HEDDLE:-$here/../../build/bin/heddle}")
: "${RUNS:=400}" "${SEED:=1}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }

# {"12": "A", ...}: line numbers and their labels.
labels() { sed -n 's|.*/\* \([A-Z]\) \*/$|\1|p;t;s/.*//p' "$1" | jq -Rn '[inputs] | to_entries |
    map(select(.value != "") | {key: (.key + 1 | tostring), value}) | from_entries'; }

# The elements that were covered, as the header writes them, one a line.
covered() { # covered METRIC
    "$HEDDLE" coverage --list "$1" --json - 2>/dev/null | jq -r --argjson names "$(labels "$2")" '
        def site($m): if $m == "cfp" then .function
            else ($names[.line | tostring] // "line\(.line)") +
                 (if .ordinal > 1 then "\(.ordinal)" else "" end) end;
        .elements[] | .metric as $m | (.sites | map(site($m))) as $s |
        "\(.sub)(" + (if $m == "race" or $m == "cfp" then $s | sort else $s end | join(",")) + ")"' |
        sort -u
}

one() {
    local file=$1 name metric want got
    name=$(basename "$file" .c)
    $(header "$file" build) -o "$name" "$file" || return 1
    rm -rf .heddle
    "$HEDDLE" test -q --keep-going --coverage all --strategy random --runs "$RUNS" --seed "$SEED" \
        -- "./$name" >log 2>&1
    [ $? -eq 0 ] || [ -d .heddle/findings ] || { tail -n 1 log; return 1; }
    for metric in iroot pset hapset syncpair map cfp race defuse; do
        want=$(header "$file" $metric | tr ' ' '\n' | sed '/^none$/d' | sort -u)
        [ -n "$(header "$file" $metric)" ] || continue
        got=$(covered $metric "$file")
        [ "$got" = "$want" ] && continue
        echo "FAIL  $name: $metric: missing: $(comm -23 <(echo "$want") <(echo "$got") | xargs);" \
            "not listed: $(comm -13 <(echo "$want") <(echo "$got") | xargs)"
        return 1
    done
    echo "ok    $name"
}

[ $# -gt 0 ] || set -- $(cd "$here/cover" && ls -- *.c)
for name; do
    one "$here/cover/${name%.c}.c" || failed=1
done
exit $failed
