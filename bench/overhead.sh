#!/usr/bin/env bash
# What a profile run and an active run cost: processor time of all processes (heddle itself and its start
# included) against the program by itself, not instrumented, and against the same binary under TSan; peak
# memory of the largest process, and of all of them at a time (what heddle and the program under test
# share counts once). Kernels: FFT, radix sort, LU; matmul, ocean and pipeline, on which nothing
# was tuned. Real programs: pbzip2, lbzip2, xz, zstd, memcached, redis.
#   HEDDLE=path/to/heddle bench/overhead.sh [fft|radix|lu|matmul|ocean|pipeline|pbzip2|lbzip2|xz|zstd|memcached|redis]...
# Environment: ROUNDS (3: what is compared is measured in turns, the median of the ratios is shown),
# PROFILE_RUNS (10), RUNS (80: profile and active together), FFT ("18 2"), RADIX ("2000000 2"), LU ("768 2"),
# MATMUL ("512 2"), OCEAN ("512 60 2"), PIPELINE ("300 2"), BYTES (1000000, of the file to be compressed).
# A run of a server is the whole test: it starts, answers its client and stops; its processor time counts.
# A second table has the seconds of the client alone, from the first reply to the last, by the clock.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${ROUNDS:=3}" "${PROFILE_RUNS:=10}" "${RUNS:=80}" "${BYTES:=1000000}"
: "${FFT:=18 2}" "${RADIX:=2000000 2}" "${LU:=768 2}" "${MATMUL:=512 2}" "${OCEAN:=512 60 2}" "${PIPELINE:=300 2}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
export TSAN_OPTIONS="report_bugs=0 ${TSAN_OPTIONS-}"
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM # Heddle ends well when it is interrupted: no figure of a part
cd "$tmp" || exit 99
. "$here/real/servers.bash"
gcc -O2 -o "$bin/measure" "$here/measure.c" || exit 99

# What is measured are profile and active runs, not those that bring races about after them.
campaign() { # campaign OPTIONS... -- COMMAND...: one with a fresh memory; ./result.json, ./cost
    rm -rf .heddle result.json
    "$bin/measure" -p "$heddle" test -q --no-race --keep-going --no-minimize --seed 1 --timeout 300s \
        --json result.json "$@" >cost </dev/null
    case $(awk '{ print $3 }' cost) in 0 | 66) ;; *) echo "overhead.sh: heddle failed: $*" >&2; return 1 ;; esac
}
cpu() { awk '{ print $4 }' "$1"; }
mean() { awk -v a="$1" -v b="$2" 'NR >= a && NR <= b { s += $1; n++ } END { if (n) print s / n }'; } # of lines a to b

# One round: "native tsan KiB(tsan) profile KiB(its largest) active KiB(together) KiB(largest)", for ./rounds; active is "-" if there was no
# active run. The campaign once, and once with as many runs as its profile had: what it took longer is for
# the others. $around: a function to run each of them in. $times: seconds of clients, for ./clients
around=
one_round() { # NATIVE TSAN ARGUMENTS...
    local native=$1 tsan=$2 times=$3 own theirs profile whole runs first active=- clients most largest
    shift 3
    $around "$bin/measure" -n "$times" "$native" "$@" >m && own=$(awk -v n="$times" '{ print $4 / n }' m) || return
    clients=$([ ! -e times ] || mean 1 99 <times)
    $around "$bin/measure" "$tsan" "$@" >m && theirs=$(awk '{ print $4, $2 }' m) || return
    $around campaign --profile --runs "$PROFILE_RUNS" -- "$tsan" "$@" || return
    profile=$(awk -v n="$(jq .runs result.json)" '{ print $4 / n, $2 }' cost)
    clients+=" $([ ! -e times ] || mean 1 "$PROFILE_RUNS" <times)"
    $around campaign --runs "$RUNS" -- "$tsan" "$@" || return
    whole=$(cpu cost)
    most=$(awk '{ print $6 }' cost) largest=$(awk '{ print $2 }' cost)
    runs=$(jq .runs result.json) first=$(jq .drive.profile_runs result.json)
    clients+=" $([ ! -e times ] || mean $((first + 1)) "$RUNS" <times)"
    if [ "$runs" -gt "$first" ]; then
        $around campaign --runs "$first" -- "$tsan" "$@" || return
        active=$(awk -v w="$whole" -v n="$((runs - first))" '{ print (w - $4) / n }' cost)
    fi
    echo "$own $theirs $profile $active $most $largest" >>rounds
    [ ! -e times ] || echo "$clients" >>clients
}

report() { # report NAME: rows of one_round on standard input
    awk -v name="$1" '$1 > 0 { k++; n[k] = $1; t[k] = $2 / $1; p[k] = $4 / $1; r[k] = $4 / $2; a[k] = $6 / $1
        tm[k] = $3; hm[k] = $5 > $8 ? $5 : $8; am[k] = $7; if ($6 == "-") none = 1 }
    function middle(v,    i, j, t) {
        for (i = 2; i <= k; i++) { t = v[i]; for (j = i - 1; j >= 1 && v[j] > t; j--) v[j + 1] = v[j]; v[j + 1] = t }
        return v[int((k + 1) / 2)]
    }
    END { if (k) printf "| %s | %.4f | %.1f | %.1f | %s | %.2f | %d | %d | %d |\n", name, middle(n), middle(t), middle(p),
          none ? "no active run" : sprintf("%.1f", middle(a)), middle(r), middle(tm) / 1024, middle(hm) / 1024, middle(am) / 1024
          else printf "| %s | failed | | | | | | | |\n", name }'
}

rounds() { # rounds NAME NATIVE TSAN TIMES ARGUMENTS...
    local i name=$1
    shift
    rm -f rounds
    touch rounds
    for ((i = 0; i < ROUNDS; i++)); do one_round "$@" || break; done
    report "$name" <rounds
}

kernel() { # kernel NAME ARGUMENTS...
    local name=$1
    shift
    gcc -g -O2 -pthread -o "$bin/$name" "$here/programs/$name.c" -lm &&
        gcc -g -O2 -pthread -fsanitize=thread -o "$bin/$name-tsan" "$here/programs/$name.c" -lm || return
    rounds "$name $*" "$bin/$name" "$bin/$name-tsan" 5 "$@"
}

compressor() { # compressor NAME ARGUMENTS...
    local name=$1
    shift
    tr -dc 'a-f \n' </dev/urandom | head -c "$BYTES" >input
    rounds "$name, $BYTES bytes" "$bin/$name-native" "$bin/$name-tsan" 3 "$@"
}
pbzip2() { compressor pbzip2 -c -p4 -b1 input; }
lbzip2() { compressor lbzip2 -c -n 4 input; }
xz-utils() { compressor xz-utils -c -T4 --block-size=100000 input; }
libzstd() { compressor libzstd -c -T4 -B100000 input; }

# One client for each server that appears at the socket; the seconds of each go to ./times.
clients() { # clients COMMAND...
    local client=
    trap 'kill $client; exit' TERM
    while :; do
        timeout 120 "$@" &
        client=$!
        wait $client
        rm -f socket
    done >times 2>/dev/null
}
served() { # served COMMAND...: with clients (${client[@]}) for as long as it runs
    local feeder rc
    rm -f socket
    clients "${client[@]}" &
    feeder=$!
    "$@"
    rc=$?
    { kill "$feeder" && wait "$feeder"; } 2>/dev/null
    return $rc
}
server() { # server NAME PACKAGE ARGUMENTS...
    local name=$1 package=$2
    shift 2
    around=served
    rm -f clients
    rounds "$name" "$bin/$package-native" "$bin/$package-tsan" 1 "$@"
    around=
    rm -f times
    [ ! -e clients ] || awk -v name="$name" 'NF == 3 && $1 > 0 { n += $1; p += $2; a += $3; k++ }
        END { if (k) printf "| %s | %.4f | %.1f | %.1f |\n", name, n / k, p / n, a / n }' clients >>by_clock
}
memcached() {
    local args=(-A -s "$tmp/socket" -t 4 -U 0)
    [ "$(id -u)" != 0 ] || args+=(-u root)
    gcc -O2 -pthread -o "$bin/memcached_client" "$here/real/memcached_client.c" || return
    client=("$bin/memcached_client" "$tmp/socket" 25 4)
    server "memcached, 500 requests" memcached "${args[@]}"
}
redis() {
    local args
    mapfile -t args < <(redis_args plain)
    gcc -O2 -pthread -o "$bin/redis_client" "$here/real/redis_client.c" || return
    client=("$bin/redis_client" "$tmp/socket" 10 4)
    server "redis, 40 rounds" redis --unixsocket "$tmp/socket" --dir "$tmp" "${args[@]}"
}

[ $# -gt 0 ] || set -- fft radix lu matmul ocean pipeline pbzip2 lbzip2 xz zstd memcached redis
echo "processor time of a run: native in seconds, others times native (goals: profile 10, active 4, below TSan)"
echo "| program | native s | TSan x | profile x | active x | profile / TSan | TSan MiB | heddle MiB | together MiB |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
for what; do
    case $what in
    fft) kernel fft $FFT ;;
    radix) kernel radix $RADIX ;;
    lu) kernel lu $LU ;;
    matmul) kernel matmul $MATMUL ;;
    ocean) kernel ocean $OCEAN ;;
    pipeline) kernel pipeline $PIPELINE ;;
    pbzip2 | lbzip2 | xz | zstd | memcached | redis)
        case $what in xz) what=xz-utils ;; zstd) what=libzstd ;; esac
        { "$here/real/build.sh" $what && "$here/real/build.sh" $what native; } >/dev/null 2>log && $what ||
            echo "| $what | cannot be built | | | | | | | |" ;;
    *) echo "overhead.sh: not known: $what" >&2; exit 64 ;;
    esac
done
[ -e by_clock ] || exit 0
echo
echo "seconds of the client, by the clock"
echo "| program | native s | profile x | active x |"
echo "|---|---:|---:|---:|"
cat by_clock
