#!/usr/bin/env bash
# What a cheap run for concurrent function pairs costs: against the program by itself, not
# instrumented, on one core; and against a profile run of `heddle test`.
#   HEDDLE=path/to/heddle bench/cfp.sh [fft|radix|stencil|strings|tickets]...
# Environment: ROUNDS (3: measured in turns, medians of the ratios), FFT ("18 2"),
# RADIX ("2000000 2"), TICKETS ("4000000 2").
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${ROUNDS:=3}" "${FFT:=18 2}" "${RADIX:=2000000 2}" "${STENCIL:=}" "${STRINGS:=}" "${TICKETS:=4000000 2}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM # Heddle ends well when it is interrupted: no figure of a part
cd "$tmp" || exit 99
gcc -O2 -o "$bin/measure" "$here/measure.c" || exit 99

cheap_of() { # cheap_of PROGRAM ARGUMENTS...: "seconds pairs events"
    { printf 'program = "%s"\ntimeout = "300s"\n[[input]]\nname = "it"\nargs = [' "$1"; shift
      for word; do printf '"%s",' "$word"; done; echo ']'; } >suite.toml
    "$heddle" suite --profile --no-memory -q --json r.json suite.toml >/dev/null 2>log </dev/null || { cat log >&2; return 1; }
    jq -r '.inputs[0] | "\(.profile_seconds) \(.pairs) \(.profile_events)"' r.json
}
profile_of() { # profile_of PROGRAM ARGUMENTS...: seconds of a profile run
    rm -rf .heddle
    "$heddle" test -q --keep-going --no-minimize --no-race --seed 1 --timeout 300s --profile --runs 3 \
        --json p.json -- "$@" >/dev/null 2>log </dev/null
    jq -r '.seconds / .runs' p.json
}
kernel() { # kernel NAME ARGUMENTS...
    local name=$1 i native cheap pairs events profile; shift
    gcc -g -O2 -pthread -o "$bin/$name" "$here/programs/$name.c" -lm &&
        gcc -g -O2 -pthread -fsanitize=thread -o "$bin/$name-tsan" "$here/programs/$name.c" -lm || return
    for i in $(seq "$ROUNDS"); do
        native=$(taskset -c 0 "$bin/measure" "$bin/$name" "$@" | awk '{ print $1 }')
        read -r cheap pairs events <<<"$(cheap_of "$bin/$name-tsan" "$@")"
        profile=$(profile_of "$bin/$name-tsan" "$@")
        echo "$native $cheap $profile $pairs $events"
    done | awk -v name="$name" '$1 > 0 { n[NR] = $1; c[NR] = $2 / $1; p[NR] = $3 / $1; pairs = $4; events = $5; k++ }
    function middle(v,    i, j, t) {
        for (i = 2; i <= k; i++) { t = v[i]; for (j = i - 1; j >= 1 && v[j] > t; j--) v[j + 1] = v[j]; v[j + 1] = t }
        return v[int((k + 1) / 2)]
    }
    END { if (k) printf "| %s | %.3f | %.2f | %.1f | %d | %d |\n", name, middle(n), middle(c), middle(p), pairs, events }'
}
echo "| program | native s | cheap run, times native | profile run, times native | pairs | events |"
echo "|---|---|---|---|---|---|"
for name in "${@:-fft radix tickets}"; do
    for one in $name; do
        case $one in
        fft) kernel fft $FFT ;;
        radix) kernel radix $RADIX ;;
        stencil) kernel stencil $STENCIL ;;
        strings) kernel strings $STRINGS ;;
        tickets) kernel tickets $TICKETS ;;
        *) echo "no such kernel: $one" >&2; exit 64 ;;
        esac
    done
done
