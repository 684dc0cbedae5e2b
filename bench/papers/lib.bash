# lib.bash: what the scripts of bench/papers share. Sourced.
#
# A script measures cells and keeps each in a table of its own, bench/work/papers/NAME.tsv, as
# soon as it has it:   row <tab> series <tab> number, or - for nothing found
# What is there is not measured again, so a bench that was interrupted goes on where it was;
# FRESH=1 starts over. A campaign that was interrupted or failed is not kept. At its end it prints rows against series, with the figures of the paper
# where there are any (series "paper ..."), and draws docs/papers/NAME.svg.
set -u
papers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$papers/../.." && pwd)
: "${HEDDLE:=$ROOT/build/bin/heddle}" "${LIMIT:=30}" "${RUNS:=6000}" "${LONG:=}"
HEDDLE=$(realpath "$HEDDLE") || exit 2
export HEDDLE HEDDLE_OPTIONS=--no-race # failures are counted, not races
name=$(basename "$0" .sh)
cells=$ROOT/bench/work/papers/$name.tsv
mkdir -p "$(dirname "$cells")" "$ROOT/docs/papers"
[ -z "${FRESH:-}" ] || rm -f "$cells"
touch "$cells"
tmp=$(mktemp -d)
at_end() { # what it took, whatever else the machine did
    times >"$tmp/times" # not in a pipe: a subshell has no children that have ended
    awk -v n="$name" 'NR == 2 { split($0, t, /[ms ]+/); printf "%s: %.0f s of processor time\n", n, 60 * (t[1] + t[3]) + t[2] + t[4] }' "$tmp/times" >&2
    cd /
    rm -rf "$tmp"
}
trap at_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp" || exit 2

has() { awk -F '\t' -v r="$1" -v s="$2" '$1 == r && $2 == s { is = 1; exit } END { exit !is }' "$cells"; }
put() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$cells"; }
# cell ROW SERIES COMMAND...: what the command prints, unless it is known
cell() {
    local row=$1 series=$2 value
    shift 2
    has "$row" "$series" && return
    value=$("$@")
    [ -z "$value" ] || put "$row" "$series" "$value"
}
# stop_if_interrupted FILE: Heddle takes the signal and ends well, so the shell would go on with the next campaign.
stop_if_interrupted() {
    jq -e '.interrupted == true' "$1" >/dev/null 2>&1 || return 0
    kill -TERM $$
    exit 143
}
# paper SERIES ROW=NUMBER...
paper() {
    local series="paper $1" p
    shift
    for p in "$@"; do has "${p%%=*}" "$series" || put "${p%%=*}" "$series" "${p#*=}"; done
}

# campaign OPTION... -- PROGRAM [ARG...]; the result is in r.json
campaign() {
    rm -rf dir r.json
    "$HEDDLE" test -q --no-minimize --seed "${seed:-1}" --dir dir --json r.json --runs "$RUNS" \
        --time "${LIMIT}s" "$@" >/dev/null 2>log </dev/null
    case $? in 0 | 66 | 98) stop_if_interrupted r.json ;; *) tail -n 1 log >&2; return 1 ;; esac
}
# runs_to_bug OPTION... -- PROGRAM [ARG...]: runs until the first finding, or -
runs_to_bug() { campaign "$@" && jq -r '.findings[0].runs_until // "-"' r.json; }
# by_program SCRIPT PROGRAM...: of a script that prints a table: one program at a time, and what it printed is kept in
# bench/work/papers/NAME/PROGRAM.txt, so that another time it is only shown; what was interrupted, in PROGRAM.part. Other
# settings (environment) need FRESH=1. Headings are printed once.
by_program() {
    local script=$1 p at=$ROOT/bench/work/papers/$name
    shift
    [ -z "${FRESH:-}" ] || rm -rf "$at"
    mkdir -p "$at"
    for p; do
        [ ! -s "$at/$p.txt" ] || { cat "$at/$p.txt"; continue; }
        bash "$script" "$p" | tee "$at/$p.part"
        [ "${PIPESTATUS[0]}" = 0 ] || continue
        grep -qE '^\| .* (cannot be built|failed) \|' "$at/$p.part" || mv "$at/$p.part" "$at/$p.txt"
    done | awk '/^\| [^|]*[0-9%]/ || !shown[$0]++ { print; fflush() }'
}
# build FILE NAME
build() {
    local how
    how=$(sed -n '1,20s/^ \* build: *//p' "$1" | head -n 1)
    ${how:-gcc -g -O1 -fsanitize=thread} -o "$2" "$1" || { echo "$name: $1 cannot be built, left out" >&2; return 1; }
}

# draw FILE TITLE UNIT [bars|lines|curves] [ALONG] <ROWS: docs/papers/FILE.svg. ALONG: what the rows are (program)
draw() {
    awk -F '\t' -v title="$2" -v unit="$3" -v kind="${4:-bars}" -v along="${5:-program}" -f "$papers/plot.awk" >"$tmp/drawn.svg"
    [ -s "$tmp/drawn.svg" ] || return # no numbers
    cp "$tmp/drawn.svg" "$ROOT/docs/papers/$1.svg"
    echo "drawn: docs/papers/$1.svg"
}
# finish TITLE UNIT [bars|lines|curves] [ALONG]
finish() {
    printf '\n%s (%s)\n' "$1" "$2"
    awk -F '\t' '$2 !~ /^paper / { exit 1 }' "$cells" &&
        { echo "nothing was measured: docs/papers/$name.svg stays as it is"; return; }
    awk -F '\t' -f "$papers/table.awk" "$cells"
    draw "$name" "$@" <"$cells"
}
