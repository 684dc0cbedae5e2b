#!/usr/bin/env bash
# How many of the predicted orders can be shown: exposed / predicted by idiom, for each
# program tested in the default way. The goals, twice the paper's figures, are in the last
# row. "left" were predicted and neither exposed nor abandoned before the runs were used up.
# Servers are started, driven by a client outside and stopped in every run. "serving" is how many
# orders were predicted that a campaign whose client only stops the server neither predicts nor
# shows (sqlite3 is needed for this column).
#   HEDDLE=path/to/heddle bench/success.sh [correct|buggy|pbzip2|lbzip2|xz-utils|memcached|redis|redis-aof|redis-io]...
# Environment: RUNS (1000 a program), LIMIT (60 seconds of processor time a program), SEED (1), BYTES (300000,
# of the file to be compressed), IDIOMS (1,2,3,4,5,6), COVERAGE (auto; iroot: iRoots alone),
# HEDDLE_BENCH_WORK (bench/work), KEEP (a folder that keeps the lines of the corpus, so that an interrupted bench goes
# on where it was), VERBOSE (1: a row for each program
# of the corpus as well). Real programs are fetched and built by bench/real.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
: "${RUNS:=1000}" "${LIMIT:=60}" "${SEED:=1}" "${BYTES:=300000}" "${IDIOMS:=1,2,3,4,5,6}"
: "${COVERAGE:=auto}" "${VERBOSE:=}"
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM # Heddle ends well when it is interrupted: no figure of a part
cd "$tmp" || exit 99
. "$here/input.bash"
. "$here/cpu_limit.bash"
. "$here/real/servers.bash"
prose "$BYTES" >input
: "${KEEP:=$tmp/keep}"
mkdir -p "$KEEP"

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }

# campaign FILE OPTIONS... [-- COMMAND...]: adds a line to FILE: predicted and exposed by idiom, open
campaign() {
    local out=$1; shift
    rm -rf store result*.json
    cpu_limit "$LIMIT" "$heddle" test -q --keep-going --no-minimize --seed "$SEED" --runs "$RUNS" \
        --timeout 120s --idioms "$IDIOMS" --coverage "$COVERAGE" --dir store \
        --json result.json "$@" >/dev/null 2>log </dev/null
    case $? in
    0 | 66 | 98 | 124) jq -r '[(.drive.by_idiom[] | .predicted, .exposed), .drive.open, .runs] | join(" ")' result.json >>"$out" ;;
    *) echo "success.sh: $(tail -n 1 log)" >&2 ;;
    esac
}

# row NAME FILE [SERVING]: the sum of its lines, as a row of the table
row() {
    awk -v name="$1" -v serving="${3:-}" '{ for (i = 1; i <= NF; i++) n[i] += $i }
        END {
            if (!n[14]) { printf "| %s | failed | no run was made or ended | | | | | | | |\n", name; exit }
            printf "| %s |", name
            for (i = 0; i < 6; i++) {
                p = n[2 * i + 1]; e = n[2 * i + 2]
                if (p) printf " %d/%d %.0f %% |", e, p, 100 * e / p
                else printf " - |"
            }
            printf " %d | %s | %d |\n", n[13], serving, n[14]
        }' "$2"
}

corpus() { # corpus FOLDER
    local f name opts args
    : >"sum.$1"
    for f in "$here/../tests/target/$1"/*.c "$here/../tests/target/$1"/*.cc; do
        name=$(basename "$f")
        [ -s "$KEEP/$1.$name" ] || $(header "$f" build) -o prog "$f" 2>log || { echo "success.sh: $name: $(tail -n 1 log)" >&2; continue; }
        read -ra opts <<<"$(header "$f" options)"
        read -ra args <<<"$(header "$f" args)"
        cp "$KEEP/$1.$name" one 2>/dev/null || {
            : >one
            campaign one ${opts[@]+"${opts[@]}"} -- ./prog ${args[@]+"${args[@]}"} || [ -s one ] || continue
            cp one "$KEEP/$1.$name"
        }
        cat one >>"sum.$1"
        [ -z "$VERBOSE" ] || row "$1/$name" one
    done
    row "$1 (corpus)" "sum.$1"
}

built() { # built PACKAGE
    "$here/real/build.sh" "$1" >/dev/null 2>log || { echo "| $1 | cannot be built | | | | | | | | |"; return 1; }
}

real() { # real NAME ARGS...
    local name=$1; shift
    : >"sum.$name"
    built "$name" || return
    campaign "sum.$name" -- "$bin/$name-tsan" "$@"
    row "$name" "sum.$name"
}

# serving: predicted orders of ./store that are in no way in ./idle; - if that cannot be counted
serving() {
    command -v sqlite3 >/dev/null && [ -s idle/store.db ] || { echo -; return; }
    sqlite3 store/store.db "ATTACH 'idle/store.db' AS idle;
        WITH mine AS (SELECT e.sub, a.offset oa, b.offset ob, c.offset oc, d.offset od FROM candidate k
                JOIN element e ON e.id = k.element JOIN site a ON a.id = e.s0 JOIN site b ON b.id = e.s1
                JOIN site c ON c.id = e.s2 JOIN site d ON d.id = e.s3),
            other AS (SELECT e.sub, a.offset oa, b.offset ob, c.offset oc, d.offset od FROM idle.element e
                JOIN idle.site a ON a.id = e.s0 JOIN idle.site b ON b.id = e.s1
                JOIN idle.site c ON c.id = e.s2 JOIN idle.site d ON d.id = e.s3)
        SELECT count(*) FROM (SELECT * FROM mine EXCEPT SELECT * FROM other);"
}

server() { # server NAME PROGRAM SCRIPT_FUNCTION ARGUMENT ROUNDS CONNECTIONS
    local name=$1 program=$bin/$2-tsan script=$3 way=$4 rounds=$5 connections=$6
    : >"sum.$name"
    built "$2" && gcc -O2 -pthread -o client "$here/real/$2_client.c" || return
    "$script" "$program" "$tmp/client" "$way" 0 "$connections" >test.toml
    RUNS=20 campaign idle.sum --script test.toml
    rm -rf idle && mv store idle
    "$script" "$program" "$tmp/client" "$way" "$rounds" "$connections" >test.toml
    campaign "sum.$name" --script test.toml
    row "$name" "sum.$name" "$(serving)"
}

[ $# -gt 0 ] || set -- correct buggy pbzip2 lbzip2 xz-utils memcached redis redis-aof redis-io
echo "exposed/predicted (runs $RUNS, at most $LIMIT s of processor time each, seed $SEED)"
echo "| program | idiom 1 | idiom 2 | idiom 3 | idiom 4 | idiom 5 | idiom 6 | left | serving | runs |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
for name; do
    case $name in
    correct | buggy) corpus "$name" ;;
    pbzip2) real pbzip2 -c -p4 -b1 input ;;
    lbzip2) real lbzip2 -c -n4 -1 input ;;
    xz-utils) real xz-utils -c -T4 -1 --block-size=131072 input ;;
    memcached) server memcached memcached memcached_script 4 5 2 ;;
    redis) server redis redis redis_script plain 5 6 ;;
    redis-aof | redis-io) server "$name" redis redis_script "${name#redis-}" 5 6 ;;
    *) echo "success.sh: $name is not known" >&2; exit 64 ;;
    esac
done
[ $# -lt 2 ] || { cat sum.* >all; row all all; }
echo "| goal | 56 % | 34 % | 18 % | 20 % | 18 % | - | | 50 | |"
