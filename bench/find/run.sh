#!/usr/bin/env bash
# How many runs and how long to the first finding, for every buggy target program and
# every way to look for it. Each cell (program, column, seed) becomes a row of a CSV
# file; what is there already is not run again, so that an interrupted bench goes on.
#   HEDDLE=path/to/heddle bench/find/run.sh          run what is missing, print the tables
#   bench/find/run.sh table                          print the tables only
# Environment:
#   PROGRAMS      names or files (all of tests/target/buggy); bench/find/ending has those that
#                 end while threads go on, bench/find/fresh some on which nothing was chosen
#   COLUMNS       default (heddle test as it is), strategies of heddle test, tsan (the
#                 instrumented program by itself, again and again, until it fails or
#                 ThreadSanitizer reports) or stress (the same, reports do not count)
#   SEEDS (20)    SEARCH_SEEDS (5): for searches, which hardly depend on them
#                 Not run: the rest of a row whose median is a miss whatever it gives
#   LIMIT (5)     seconds a cell may take; RUNS (5000): runs
#   SEARCH_OPTIONS  further options for searches
#   JOBS (2)      cells at the same time
#   RESULTS       the CSV file (bench/work/find.csv); RESULTS of another build of
#                 Heddle is another file
# Seconds are those from the start of a campaign to the finding, without what comes after it
# (confirming, saving). Strategies of chance run with --coverage none, at their best.
set -u
export HEDDLE_OPTIONS=--no-race # what is measured are runs
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE_BENCH_WORK:=$here/../work}" "${SEEDS:=20}" "${LIMIT:=5}" "${RUNS:=5000}" "${JOBS:=2}"
: "${SEARCH_SEEDS:=$((SEEDS < 5 ? SEEDS : 5))}" "${RESULTS:=$HEDDLE_BENCH_WORK/find.csv}"
: "${SEARCH_OPTIONS:=}" "${COLUMNS_WANTED:=${COLUMNS:-}}"
# An interactive shell has COLUMNS of its own: the width of the terminal.
[[ $COLUMNS_WANTED =~ ^[0-9]*$ ]] && COLUMNS_WANTED="default pct pctlarge pos surw random delay tsan \
dfs pcb=1 pcb=2 dpor hapset tsa"
COMPARE="default pct pctlarge pos surw random delay tsan"
HANG=1 # seconds after which a program by itself hangs: all end within milliseconds
export HEDDLE SEEDS SEARCH_SEEDS SEARCH_OPTIONS LIMIT RUNS RESULTS HANG

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
is_search() { [[ $1 =~ ^(dfs|pcb|dpor|hapset|delaybound)(=|$) ]]; }
is_chance() { [[ $1 =~ ^(pct|pctlarge|pos|surw|random|delay|selective|burst|rare)(=|$) ]]; }

# "found runs seconds what" of one campaign; nothing if Heddle failed
campaign() { # campaign COLUMN SEED
    local options=(--strategy "$1") rc
    [ "$1" != default ] || options=()
    ! is_chance "$1" || options+=(--coverage none)
    ! is_search "$1" || options+=($SEARCH_OPTIONS)
    rm -rf dir
    "$HEDDLE" test -q --no-minimize --seed "$2" --runs "$RUNS" --time "${LIMIT}s" --dir dir --json result.json \
        ${options[@]+"${options[@]}"} "${opts[@]}" -- "$prog" "${args[@]}" >/dev/null 2>log </dev/null
    rc=$?
    case $rc in
    0) jq -r '"0 \(.runs) \(.seconds) none"' result.json ;;
    66) jq -r '.findings[0] | "1 \(.runs_until) \(.seconds) \(.kind)"' result.json ;;
    64) echo "find: $1: $(head -n 1 log)" >&2 ;;
    *) echo "find: $name, $1, seed $2: exit $rc: $(tail -n 1 log)" >&2 ;;
    esac
}

# All seeds of one program that are still missing. Columns take turns, so that whatever
# else the machine has to do meets all of them, and each seed begins with another one, so
# that it is not always the same that comes after a long campaign.
cells() { # cells FILE COLUMN...
    local file=$1 column seed seeds known row found runs seconds what tmp
    local -A missed=()
    shift
    name=$(basename "$file")
    name=${name%.*}
    prog=$BIN/$name
    read -ra args <<<"$(header "$file" args)"
    read -ra opts <<<"$(header "$file" options)"
    tmp=$(mktemp -d) && cd "$tmp" || return
    for ((seed = 1; seed <= SEEDS; seed++)); do
        for column in "${@:seed % $# + 1}" "${@:1:seed % $#}"; do
            seeds=$SEEDS
            ! is_search "$column" || seeds=$SEARCH_SEEDS
            [ "$seed" -le "$seeds" ] && [ $((2 * ${missed[$column]:-0})) -le "$seeds" ] || continue
            known=$(grep -m 1 "^$name,$column,$seed," "$RESULTS" | cut -d, -f4)
            [ "$known" != 0 ] || missed[$column]=$((${missed[$column]:-0} + 1))
            [ -z "$known" ] || continue
            case $column in
            tsan) row=$(TSAN_OPTIONS=halt_on_error=1 "$BIN/stress" "$RUNS" "$LIMIT" $HANG "$prog" "${args[@]}") ;;
            stress) row=$(TSAN_OPTIONS=report_bugs=0 "$BIN/stress" "$RUNS" "$LIMIT" $HANG "$prog" "${args[@]}") ;;
            *) row=$(campaign "$column" "$seed") ;;
            esac
            [ -n "$row" ] || continue
            read -r found runs seconds what <<<"$row"
            [ "$found" = 1 ] || missed[$column]=$((${missed[$column]:-0} + 1))
            echo "$name,$column,$seed,$found,$runs,$seconds,$what" >>"$RESULTS"
        done
    done
    cd / && rm -rf "$tmp"
}

if [ "${1:-}" = --cells ]; then
    read -ra columns <<<"$3"
    cells "$2" "${columns[@]}"
    exit 0
fi

mkdir -p "$HEDDLE_BENCH_WORK/find" "$(dirname "$RESULTS")"
BIN=$(cd "$HEDDLE_BENCH_WORK/find" && pwd)
RESULTS=$(realpath "$RESULTS")
export BIN
[ -s "$RESULTS" ] || echo "program,column,seed,found,runs,seconds,what" >"$RESULTS"
buggy=$here/../../tests/target/buggy
files=()
for p in ${PROGRAMS:-"$buggy"/*.c "$buggy"/*.cc}; do
    [ -f "$p" ] || p=$(ls "$buggy/$p".c* 2>/dev/null)
    [ -f "$p" ] || { echo "find: no such program" >&2; exit 64; }
    files+=("$(realpath "$p")")
done

if [ "${1:-}" != table ]; then
    HEDDLE=$(realpath "${HEDDLE:-$here/../../build/bin/heddle}")
    [ -x "$HEDDLE" ] || { echo "find: no $HEDDLE; set HEDDLE" >&2; exit 99; }
    gcc -O2 -o "$BIN/stress" "$here/stress.c" || exit 99
    for f in "${files[@]}"; do
        b=$(basename "$f")
        [ "$BIN/${b%.*}" -nt "$f" ] || $(header "$f" build) -o "$BIN/${b%.*}" "$f" || exit 99
    done
    columns='' alone=''
    for c in $COLUMNS_WANTED; do # leave out what this build of Heddle does not know
        case $c in
        default) ;;
        tsan | stress) # afterwards: a miss takes long, and all cores
            alone+=" $c"
            continue
            ;;
        *) "$HEDDLE" test -q --strategy "$c" --runs 1 --dir "$BIN/probe" -- /bin/true >/dev/null 2>"$BIN/log"
            [ $? -ne 64 ] || { echo "find: without $c: $(head -n 1 "$BIN/log")" >&2; continue; } ;;
        esac
        columns+=" $c"
    done
    rm -rf "$BIN/probe"
    for c in "$columns" "$alone"; do
        [ -n "$c" ] || continue
        for f in "${files[@]}"; do printf '%s\0%s\0' "$f" "$c"; done
    done | xargs -0 -n 2 -P "$JOBS" "$here/run.sh" --cells
fi

shown=
for c in $COLUMNS_WANTED; do ! grep -q "^[^,]*,$c," "$RESULTS" || shown+=" $c"; done
names=" "
for f in "${files[@]}"; do b=$(basename "$f"); names+="${b%.*} "; done
{
    head -n 1 "$RESULTS"
    awk -F, -v names="$names" 'index(names, " " $1 " ")' "$RESULTS" | sort -t, -k1,1 -k2,2 -k3,3n
} |
    awk -v columns="$shown" -v compare="$COMPARE" -f "$here/table.awk"
