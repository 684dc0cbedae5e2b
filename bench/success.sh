#!/usr/bin/env bash
# How many of the predicted orders can be shown: exposed / predicted by idiom, for each
# program tested in the default way. The goals, twice the paper's figures, are in the last
# row. "left" were predicted and neither exposed nor abandoned before the runs were used up.
#   HEDDLE=path/to/heddle bench/success.sh [correct|buggy|pbzip2|lbzip2|xz-utils|memcached]...
# Environment: RUNS (1000 a program), LIMIT (60 seconds a program), SEED (1), BYTES (300000,
# of the file to be compressed), IDIOMS (1,2,3,4,5,6), COVERAGE (auto; once a run has
# had 400000 events that looks at pairs among the first 50000 only; iroot: all of
# them), HEDDLE_BENCH_WORK (bench/work), VERBOSE (1: a row for each program
# of the corpus as well). Real programs must have been built (make bench-real).
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
: "${RUNS:=1000}" "${LIMIT:=60}" "${SEED:=1}" "${BYTES:=300000}" "${IDIOMS:=1,2,3,4,5,6}"
: "${COVERAGE:=auto}" "${VERBOSE:=}"
bin=$(cd "${HEDDLE_BENCH_WORK:-$here/work}/bin" 2>/dev/null && pwd) || bin=/nonexistent
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
client=
trap '[ -z "$client" ] || kill -- "-$client" 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
. "$here/input.bash"
prose "$BYTES" >input

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }

# campaign FILE OPTIONS... -- COMMAND...: adds a line to FILE: predicted and exposed by idiom, open
campaign() {
    local out=$1; shift
    rm -rf store result.json
    "$heddle" test -q --keep-going --no-minimize --seed "$SEED" --runs "$RUNS" --time "${LIMIT}s" \
        --timeout 120s --idioms "$IDIOMS" --coverage "$COVERAGE" --dir store \
        --json result.json "$@" >/dev/null 2>log </dev/null
    case $? in
    0 | 66) jq -r '[(.drive.by_idiom[] | .predicted, .exposed), .drive.open] | join(" ")' result.json >>"$out" ;;
    *) echo "success.sh: $(tail -n 1 log)" >&2 ;;
    esac
}

# row NAME FILE: the sum of its lines, as a row of the table
row() {
    awk -v name="$1" '{ for (i = 1; i <= NF; i++) n[i] += $i }
        END {
            printf "| %s |", name
            for (i = 0; i < 6; i++) {
                p = n[2 * i + 1]; e = n[2 * i + 2]
                if (p) printf " %d/%d %.0f %% |", e, p, 100 * e / p
                else printf " - |"
            }
            printf " %d |\n", n[13]
        }' "$2"
}

corpus() { # corpus FOLDER
    local f name opts args
    : >"sum.$1"
    for f in "$here/../tests/target/$1"/*.c "$here/../tests/target/$1"/*.cc; do
        name=$(basename "$f")
        $(header "$f" build) -o prog "$f" 2>log || { echo "success.sh: $name: $(tail -n 1 log)" >&2; continue; }
        read -ra opts <<<"$(header "$f" options)"
        read -ra args <<<"$(header "$f" args)"
        : >one
        campaign one ${opts[@]+"${opts[@]}"} -- ./prog ${args[@]+"${args[@]}"}
        cat one >>"sum.$1"
        [ -z "$VERBOSE" ] || row "$1/$name" one
    done
    row "$1 (corpus)" "sum.$1"
}

real() { # real NAME ARGS...
    local name=$1; shift
    : >"sum.$name"
    if [ ! -x "$bin/$name-tsan" ]; then
        echo "success.sh: $name is not built: make bench-real" >&2
        return
    fi
    campaign "sum.$name" -- "$bin/$name-tsan" "$@"
    row "$name" "sum.$name"
}

# A client for each server that will appear at the socket; the server ends with it.
memcached() {
    local args=(-A -s "$tmp/socket" -t 4 -U 0)
    [ "$(id -u)" != 0 ] || args+=(-u root)
    gcc -O2 -pthread -o client "$here/real/memcached_client.c" || return
    setsid bash -c 'while :; do timeout --foreground 120 ./client socket 5 2; rm -f socket; done' \
        >/dev/null 2>&1 </dev/null &
    client=$!
    real memcached "${args[@]}"
    kill -- "-$client" 2>/dev/null
    wait "$client" 2>/dev/null
    client=
}

[ $# -gt 0 ] || set -- correct buggy pbzip2 lbzip2 xz-utils memcached
echo "exposed/predicted (runs $RUNS, at most $LIMIT s each, seed $SEED)"
echo "| program | idiom 1 | idiom 2 | idiom 3 | idiom 4 | idiom 5 | idiom 6 | left |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|"
for name; do
    case $name in
    correct | buggy) corpus "$name" ;;
    pbzip2) real pbzip2 -c -p4 -b1 input ;;
    lbzip2) real lbzip2 -c -n4 -1 input ;;
    xz-utils) real xz-utils -c -T4 -1 --block-size=131072 input ;;
    memcached) memcached ;;
    *) echo "success.sh: $name is not known" >&2; exit 64 ;;
    esac
done
[ $# -lt 2 ] || { cat sum.* >all; row all all; }
echo "| goal | 56 % | 34 % | 18 % | 20 % | 18 % | - | |"
