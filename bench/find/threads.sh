#!/usr/bin/env bash
# Does a search for one bug grow with threads that have nothing to do with it? Runs to
# the first finding in the downloader with 3 to 10 workers; the goal is that hapset
# grows at most linearly.
#   HEDDLE=path/to/heddle bench/find/threads.sh
# Environment: THREADS (3 4 5 6 7 8 9 10), COLUMNS (hapset dpor pcb=2 default), SEEDS (5),
# LIMIT (5 seconds), RUNS (5000), SEARCH_OPTIONS (of the searches).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../../build/bin/heddle}")
: "${THREADS:=3 4 5 6 7 8 9 10}" "${SEEDS:=5}" "${LIMIT:=5}" "${RUNS:=5000}" "${SEARCH_OPTIONS:=}"
[[ ${COLUMNS:-} =~ ^[0-9]*$ ]] && COLUMNS="hapset dpor pcb=2 default" # else: width of a terminal
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
gcc -g -O1 -fsanitize=thread -o downloader "$here/../programs/downloader.c" || exit 99

runs_until() { # runs_until COLUMN SEED THREADS -> runs to the finding; nothing if there was none
    local options=(--strategy "$1")
    [ "$1" != default ] || options=()
    case $1 in hapset* | dpor* | pcb* | dfs*) options+=($SEARCH_OPTIONS) ;; esac
    rm -rf dir result.json
    "$heddle" test -q --no-minimize --seed "$2" --runs "$RUNS" --time "${LIMIT}s" --dir dir --json result.json \
        ${options[@]+"${options[@]}"} -- ./downloader "$3" >/dev/null 2>log </dev/null
    [ $? -ne 64 ] || cat log >&2
    jq -r '.findings[0].runs_until // empty' result.json 2>/dev/null
}

# The middle one of those found, or how many were found if that is less than half.
cell() { # cell COLUMN THREADS
    local seed
    for ((seed = 1; seed <= SEEDS; seed++)); do runs_until "$1" "$seed" "$2"; done | sort -n |
        awk -v of="$SEEDS" '{ v[NR] = $1 } END {
            h = int((of + 1) / 2); if (NR >= h) print v[h]; else print NR "/" of }'
}

echo "runs to the first finding in the downloader (median of $SEEDS seeds; n/m: found by n of m)"
echo "| workers | ${COLUMNS// / | } |"
echo "| ---: |$(for c in $COLUMNS; do printf ' ---: |'; done)"
for n in $THREADS; do
    printf '| %s |' "$n"
    for c in $COLUMNS; do printf ' %s |' "$(cell "$c" "$n")"; done
    echo
done
