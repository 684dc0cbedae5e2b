#!/usr/bin/env bash
# Real programs, built from Debian sources with plain -fsanitize=thread, under
# Heddle: is the result of every run right, does a schedule replay, what does it
# cost? Prints one row per program and strategy; exit 1 if any is not perfect.
#   HEDDLE=path/to/heddle bench/real/run.sh [PROGRAM...]
# Environment: RUNS (20), REPLAYS (5), SEED (1), STRATEGIES ("random pct"), BYTES
# (1000000).
#
# A compressor writes to standard output, and a campaign passes on what its runs
# write: RUNS streams one after the other, which the uninstrumented build of the
# program must turn into RUNS copies of the input. A server (memcached; redis, redis-aof with
# an append-only file, redis-io with io-threads) is driven by a client,
# another process that knows nothing of Heddle: a replay waits for what it sent in the recorded run.
# Its seconds are the client's, from the first reply to the last; a compressor's
# are those of the whole run. "cpu" compares processor time, which other work on
# the machine and the number of cores do not change, without runs that
# bring races about.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/../work}
: "${RUNS:=20}" "${REPLAYS:=5}" "${SEED:=1}" "${STRATEGIES:=random pct}" "${BYTES:=1000000}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
export TSAN_OPTIONS=report_bugs=0
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
. "$here/servers.bash"
failed=0

gcc -O2 -o "$bin/measure" "$here/../measure.c" &&
    gcc -O2 -pthread -o "$bin/memcached_client" "$here/memcached_client.c" &&
    gcc -O2 -pthread -o "$bin/redis_client" "$here/redis_client.c" || exit 99

# Text that compresses like prose: words drawn from a small vocabulary.
awk -v n="$BYTES" 'BEGIN {
    srand(1)
    for (i = 0; i < 3000; i++) {
        w = ""
        for (k = 2 + int(rand() * 8); k > 0; k--) w = w sprintf("%c", 97 + int(rand() * 26))
        word[i] = w
    }
    for (size = 0; size < n; size += length(line) + 1) {
        line = ""
        for (k = 0; k < 12; k++) line = line word[int(3000 * rand() ^ 2)] " "
        print line
    }
}' | head -c "$BYTES" >input

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0) ? a / b : 0 }'; }
median() { printf '%s\n' "$@" | sort -g | sed -n 2p; }
row() { printf '  %-10s %-8s %8s %8s %8s %8s %8s  %-8s %s\n' "$@"; }
# Runs a command; the seconds of processor time it and its children took are in ./cpu.
TIMEFORMAT='%U %S'
timed() {
    local rc
    { time "$@" 2>&3; } 3>&2 2>cpu.raw
    rc=$?
    awk '{ print $1 + $2 }' cpu.raw >cpu
    return $rc
}
note() { printf '  %-10s %s\n' "$1" "$2"; }

# finish PROGRAM STRATEGY CORRECT SECONDS NATIVE TSAN CPU_TSAN REPLAYED: one row;
# what went wrong is said in the last column. Also uses ./cpu and $status (of the
# campaign) and $need (replays that must be as recorded).
finish() {
    local marks cpu_run
    cpu_run=$(awk -v n="$RUNS" '{ print $1 / n }' cpu)
    marks=$(jq -r 'if .uncontrolled == 0 then "none" else .uncontrolled_call end' result.json 2>/dev/null)
    [ "$status" = 0 ] || marks="exit $status: $(tail -n 1 log)"
    [ "$8" = "$REPLAYS" ] || marks="$marks; $(tail -n 1 replay.log)"
    [ ! -s client.log ] || marks="$marks; client: $(tail -n 1 client.log)"
    [ "$status" = 0 ] && [ "$3" = "$RUNS" ] && [ "$8" -ge "$need" ] || failed=1
    row "$1" "$2" "$3/$RUNS" "$(printf %.3f "$4")" "$(ratio "$4" "$5")" "$(ratio "$4" "$6")" \
        "$(ratio "$cpu_run" "$7")" "$8/$REPLAYS" "$marks"
}

# ---- compressors -------------------------------------------------------------------
# How many of the RUNS first pieces of standard input are the input.
count_copies() {
    local i right=0
    cat >copies
    for ((i = 0; i < RUNS; i++)); do
        cmp -s -n "$BYTES" -i "$((i * BYTES)):0" copies input && right=$((right + 1))
    done
    [ "$(stat -c %s copies)" = $((RUNS * BYTES)) ] || right=0
    rm -f copies
    echo $right
}

replayed() { # replayed STRATEGY COMMAND... -> how many replays went as recorded
    local strategy=$1 i n=0; shift
    "$heddle" run -q --strategy "$strategy" --seed "$SEED" --timeout 120s -- "$@" >/dev/null 2>replay.log &&
        for ((i = 0; i < REPLAYS; i++)); do
            "$heddle" replay -q --timeout 120s .heddle/last.heddle >/dev/null 2>>replay.log && n=$((n + 1))
        done
    echo $n
}

compressor() { # compressor PROGRAM OPTIONS...
    local name=$1 native tsan cpu_tsan strategy right seconds again; shift
    native=$(median $(for _ in 1 2 3; do "$bin/measure" "$bin/$name-native" "$@" input; done | cut -d' ' -f1))
    for _ in 1 2 3; do "$bin/measure" "$bin/$name-tsan" "$@" input; done >tsan
    tsan=$(median $(cut -d' ' -f1 tsan))
    cpu_tsan=$(median $(cut -d' ' -f4 tsan))
    for strategy in $STRATEGIES; do
        rm -rf .heddle result.json
        timed "$heddle" test -q --no-race --show-output --strategy "$strategy" --seed "$SEED" --runs "$RUNS" \
            --timeout 120s --json result.json -- "$bin/$name-tsan" "$@" input >streams 2>log
        status=$?
        right=$("$bin/$name-native" -d -c <streams 2>>log | count_copies)
        seconds=$(jq -r '.seconds / .runs' result.json 2>/dev/null || echo 0)
        need=$REPLAYS again=$(replayed "$strategy" "$bin/$name-tsan" "$@" input)
        finish "$name" "$strategy" "$right" "$seconds" "$native" "$tsan" "$cpu_tsan" "$again"
    done
}

# ---- servers -----------------------------------------------------------------------
# A client for each server that appears at the socket, until it is killed: a server replaces the socket of the
# one before, which nobody answers. A campaign may make more runs than RUNS: at its end delays are explored.
clients() { # $client: program, rounds, connections
    local one=
    trap 'kill $one 2>/dev/null; exit' TERM
    while :; do
        timeout 120 "${client[0]}" "$tmp/socket" "${client[@]:1}" 2>>client.log &
        one=$!
        wait $one
    done
}
mean() { awk '{ sum += $1 } END { print NR ? sum / NR : 0 }'; }

serve() { # serve COMMAND...: the clients' seconds are in ./times, the server's in ./cpu
    local feeder
    rm -rf socket appendonlydir
    clients >times &
    feeder=$!
    timed timeout 900 "$@" >/dev/null 2>log
    status=$?
    { kill "$feeder" && wait "$feeder"; } 2>/dev/null
}

server() { # server NAME PROGRAM ARGS...
    local begin=(--timeout 120s --setup "rm -rf $tmp/appendonlydir") name=$1 program=$2 native tsan cpu_tsan strategy right seconds again i; shift 2
    native=$(median $(for _ in 1 2 3; do serve "$bin/$program-native" "$@"; cat times; done))
    for _ in 1 2 3; do serve "$bin/$program-tsan" "$@"; paste times cpu; done >tsan
    tsan=$(median $(cut -f1 tsan))
    cpu_tsan=$(median $(cut -f2 tsan))
    for strategy in $STRATEGIES; do
        rm -rf .heddle result.json
        serve "$heddle" run -q "${begin[@]}" --strategy "$strategy" --seed "$SEED" -- "$bin/$program-tsan" "$@"
        need=$REPLAYS again=0
        [ "$status" = 0 ] || cp log replay.log
        for ((i = 0; i < REPLAYS && status == 0; i++)); do
            serve "$heddle" replay -q "${begin[@]}" .heddle/last.heddle
            [ "$status" = 0 ] && again=$((again + 1)) || cp log replay.log
            status=0
        done
        rm -f client.log # a replay that went astray hangs up on its client
        serve "$heddle" test -q --no-race "${begin[@]}" --strategy "$strategy" --seed "$SEED" --runs "$RUNS" \
            --json result.json -- "$bin/$program-tsan" "$@"
        right=$(head -n "$RUNS" times | wc -l)
        seconds=$(head -n "$RUNS" times | mean)
        finish "$name" "$strategy" "$right" "$seconds" "$native" "$tsan" "$cpu_tsan" "$again"
    done
}

memcached() {
    local args=(-A -s "$tmp/socket" -t 4 -U 0) client=("$bin/memcached_client" 25 4)
    [ "$(id -u)" != 0 ] || args+=(-u root)
    server memcached memcached "${args[@]}"
}

redis() { # redis NAME plain|aof|io
    local args client=("$bin/redis_client" 10 6)
    mapfile -t args < <(redis_args "$2")
    server "$1" redis --unixsocket "$tmp/socket" --dir "$tmp" "${args[@]}"
}

# ---- all of them -------------------------------------------------------------------
[ $# -gt 0 ] || set -- pbzip2 pigz lbzip2 xz-utils memcached redis redis-aof redis-io
echo "real programs ($RUNS runs each, input of $BYTES bytes; heddle uses one core, the others all)"
row program strategy correct s/run "x native" "x TSan" "cpu/TSan" replayed "not controlled"
for name; do
    package=${name%-aof} package=${package%-io}
    if ! "$here/fetch.sh" "$package" >/dev/null 2>log; then
        note "$name" "skipped: $(tail -n 1 log)"
        continue
    fi
    if ! { "$here/build.sh" "$package" && "$here/build.sh" "$package" native; } >/dev/null 2>log; then
        note "$name" "not built (libbz2-dev, zlib1g-dev and libevent-dev are needed): $(head -n 1 log)"
        failed=1
        continue
    fi
    case $name in
    pbzip2) compressor pbzip2 -c -p4 -b1 ;;
    pigz) compressor pigz -c -p 4 -b 128 ;;
    lbzip2) compressor lbzip2 -c -n4 -1 ;;
    xz-utils) compressor xz-utils -c -T4 -1 --block-size=131072 ;;
    memcached) memcached ;;
    redis) redis redis plain ;;
    redis-aof | redis-io) redis "$name" "${name#redis-}" ;;
    *) note "$name" "not known"; exit 64 ;;
    esac
done
exit $failed
