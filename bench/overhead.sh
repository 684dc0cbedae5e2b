#!/usr/bin/env bash
# What a profile run and an active run cost against the program by itself, not
# instrumented: the FFT and radix-sort kernels, pbzip2, memcached.
#   HEDDLE=path/to/heddle bench/overhead.sh [fft|radix|pbzip2|memcached]...
# Environment: ROUNDS (3: what is compared is measured in turns, the median of the ratios
# is shown), PROFILE_RUNS (10), RUNS (80: profile and active together), FFT ("18 2"),
# RADIX ("2000000 2"), BYTES (1000000, of the file to be compressed).
# A run of memcached is the whole test: the server starts, answers 500 requests and stops,
# for which it sleeps most of a second (Heddle's clock does not wait for that). So there is
# a second row with the seconds of its client alone, from the first reply to the last.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${ROUNDS:=3}" "${PROFILE_RUNS:=10}" "${RUNS:=80}"
: "${FFT:=18 2}" "${RADIX:=2000000 2}" "${BYTES:=1000000}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
gcc -O2 -o "$bin/measure" "$here/measure.c" || exit 99

# mean FIRST LAST: of these lines of standard input; nothing if there are none
mean() { awk -v a="$1" -v b="$2" 'NR >= a && NR <= b { s += $1; n++ } END { if (n) print s / n }'; }

# What is measured are profile and active runs, not those that bring races about after them.
campaign() { # campaign OPTIONS... -- COMMAND...: one with a fresh memory; ./result.json
    rm -rf .heddle result.json
    "$heddle" test -q --no-race --keep-going --no-minimize --seed 1 --timeout 300s --json result.json "$@" \
        >/dev/null 2>log </dev/null
    case $? in 0 | 66) ;; *) echo "overhead.sh: $(tail -n 1 log)" >&2; return 1 ;; esac
}
profile_of() { # profile_of COMMAND...: seconds of a profile run
    campaign --profile --runs "$PROFILE_RUNS" -- "$@" && jq -r '.seconds / .runs' result.json
}
# Seconds of an active run, nothing if there was none: the campaign once, and once with as
# many runs as its profile had; what it took longer is for the others.
active_of() { # active_of COMMAND...
    local seconds runs first
    campaign --runs "$RUNS" -- "$@" || return
    read -r seconds runs first <<<"$(jq -r '"\(.seconds) \(.runs) \(.drive.profile_runs)"' result.json)"
    [ "$runs" -gt "$first" ] && campaign --runs "$first" -- "$@" || return
    jq -r --argjson s "$seconds" --argjson n "$runs" '($s - .seconds) / ($n - .runs)' result.json
}

report() { # report NAME: rows "native profile active" on standard input
    awk -v name="$1" '$1 > 0 { n[NR] = $1; p[NR] = $2 / $1; a[NR] = $3 / $1; if ($3 == "") none = 1; k++ }
    function middle(v,    i, j, t) {
        for (i = 2; i <= k; i++) { t = v[i]; for (j = i - 1; j >= 1 && v[j] > t; j--) v[j + 1] = v[j]; v[j + 1] = t }
        return v[int((k + 1) / 2)]
    }
    END { if (k) printf "| %s | %.4f | %.1f | %s |\n", name, middle(n), middle(p),
          none ? "no active run" : sprintf("%.1f", middle(a)); else printf "| %s | failed | | |\n", name }'
}

kernel() { # kernel NAME ARGUMENTS...
    local name=$1 i native profile; shift
    gcc -g -O2 -pthread -o "$bin/$name" "$here/programs/$name.c" -lm &&
        gcc -g -O2 -pthread -fsanitize=thread -o "$bin/$name-tsan" "$here/programs/$name.c" -lm || return
    for ((i = 0; i < ROUNDS; i++)); do
        native=$("$bin/measure" -n 5 "$bin/$name" "$@" | awk '{ print $1 / 5 }')
        profile=$(profile_of "$bin/$name-tsan" "$@") || break
        echo "$native $profile $(active_of "$bin/$name-tsan" "$@")"
    done | report "$name $*"
}

pbzip2() {
    local i native profile args=(-c -p4 -b1 input)
    tr -dc 'a-f \n' </dev/urandom | head -c "$BYTES" >input
    for ((i = 0; i < ROUNDS; i++)); do
        native=$("$bin/measure" -n 3 "$bin/pbzip2-native" "${args[@]}" | awk '{ print $1 / 3 }')
        profile=$(profile_of "$bin/pbzip2-tsan" "${args[@]}") || break
        echo "$native $profile $(active_of "$bin/pbzip2-tsan" "${args[@]}")"
    done | report "pbzip2, $BYTES bytes"
}

# One client for each server that appears at the socket; the seconds of each go to ./times.
clients() {
    local client=
    trap 'kill $client; exit' TERM
    while :; do
        timeout 120 "$bin/memcached_client" "$tmp/socket" 25 4 &
        client=$!
        wait $client
        rm -f socket
    done >times 2>/dev/null
}
served() { # served COMMAND...: with clients for as long as it runs
    local feeder rc
    rm -f socket
    clients &
    feeder=$!
    "$@"
    rc=$?
    { kill "$feeder" && wait "$feeder"; } 2>/dev/null
    return $rc
}
memcached() {
    local i native profile whole first args=(-A -s "$tmp/socket" -t 4 -U 0)
    [ "$(id -u)" != 0 ] || args+=(-u root)
    gcc -O2 -pthread -o "$bin/memcached_client" "$here/real/memcached_client.c" || return
    for ((i = 0; i < ROUNDS; i++)); do
        whole=$(served "$bin/measure" "$bin/memcached-native" "${args[@]}" | awk '{ print $1 }')
        native=$(mean 1 99 <times)
        served campaign --profile --runs "$PROFILE_RUNS" -- "$bin/memcached-tsan" "${args[@]}" || break
        whole+=" $(jq -r '.seconds / .runs' result.json)"
        profile=$(mean 1 "$PROFILE_RUNS" <times)
        whole+=" $(served active_of "$bin/memcached-tsan" "${args[@]}")"
        first=$(jq '.drive.profile_runs + 1' result.json)
        echo "$whole" >>whole
        echo "${native:-0} ${profile:-0} $(mean "$first" "$RUNS" <times)" >>client
    done
    report "memcached, 500 requests" <whole
    report "memcached, its client alone" <client
}

[ $# -gt 0 ] || set -- fft radix pbzip2 memcached
echo "times of a run against the program by itself (goals: kernels 15 and 6, memcached 2 and 1.5)"
echo "| program | native s | profile x | active x |"
echo "|---|---:|---:|---:|"
for what; do
    case $what in
    fft) kernel fft $FFT ;;
    radix) kernel radix $RADIX ;;
    pbzip2 | memcached)
        { "$here/real/fetch.sh" $what && "$here/real/build.sh" $what &&
            "$here/real/build.sh" $what native; } >/dev/null 2>log && $what || echo "| $what | cannot be built | | |" ;;
    *) echo "overhead.sh: not known: $what" >&2; exit 64 ;;
    esac
done
