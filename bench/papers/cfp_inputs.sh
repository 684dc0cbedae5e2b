#!/usr/bin/env bash
# Cross-input detection (position paper on concurrent function pairs), tables 2 to 4 and figures 1
# and 2: real programs of Debian with eight inputs each. Races and atomicity violations (pairs and
# triples of places that runs showed or said to be possible) are looked for
#   all      under every input, in all functions, without memory: the exhaustive way
#   chosen   as `heddle suite` does: a cheap run of each input, then the inputs that show new pairs of
#            functions, in the functions that are in such pairs, with memory of what was tested
# with EACH runs (10; campaigns of some seconds) for each input that is tested, of the chosen ones for
# the one that brings most; the others get by what is new in them.
#   overlap     reports over all inputs for each different one
#   % missed    of what the exhaustive way reports: not reported by the other
#   % by 1, all of what the exhaustive way reports: shown by one input alone, by all of them (figures 1, 2)
#   % saved     of runs that test one order each: those that memory of tested orders saves (table 2)
#   speed-up    processor time of the exhaustive way over that of the other, cheap runs included
# Usage: cfp_inputs.sh [pbzip2|lbzip2|xz-utils|libzstd]...
. "$(dirname "$0")/lib.bash"
. "$ROOT/bench/input.bash"
: "${EACH:=10}" "${WORK:=${HEDDLE_BENCH_WORK:-$ROOT/bench/work}}"
export HEDDLE_OPTIONS= HEDDLE_BENCH_WORK=$WORK
paper "inputs chosen" Aget=3 Click=6 FFT=1 Mozilla-js=7 PBZIP2=2
paper "overlap, all" Aget=6.67 Click=2.19 FFT=4.67 Mozilla-js=5.47 PBZIP2=4.17
paper "overlap, chosen" Aget=1.00 Click=1.64 FFT=1.00 Mozilla-js=2.73 PBZIP2=1.16
paper "speed-up" Aget=0.76 Click=2.14 FFT=7.13 Mozilla-js=1.27 PBZIP2=1.72
paper "% races missed" Aget=0 Click=0.2 FFT=0 Mozilla-js=4 PBZIP2=3
paper "% events saved" Aget=94 Click=64 FFT=83 Mozilla-js=33 PBZIP2=44
paper "% races by 1 input" Aget="<18" FFT="<18" Mozilla-js="<18" PBZIP2="<18"
paper "% saved, races" Aget=85 Click=54 FFT=79 Mozilla-js=82 PBZIP2=76

make_inputs() {
    [ -s c.txt ] && return
    prose 150000 >a.txt
    prose 420000 >c.txt
    awk 'BEGIN { srand(2); for (i = 0; i < 200000; i++) printf "%c", 33 + int(90 * rand()) }' >b.bin
    bzip2 -1 -c c.txt >c.bz2
    head -c 60000 a.txt >x.txt # xz makes many more accesses for a byte
    head -c 120000 c.txt >y.txt
    head -c 40000 b.bin >z.bin
}
# inputs PROGRAM: name, arguments; one line each
inputs() {
    case $1 in
    pbzip2) cat <<'END'
compress -c -p3 -b1 -1 a.txt
noise -c -p2 -b1 -9 b.bin
quiet -c -q -p4 -b2 -1 c.txt
whole -c -r -p3 -b1 -1 c.txt
verbose -v -c -p3 -b1 a.txt
decompress -d -c -p3 made
one-stream -d -c -p3 c.bz2
test -t -p3 made
END
        ;;
    lbzip2) cat <<'END'
compress -c -n3 -1 a.txt
noise -c -n2 -9 b.bin
more -c -n4 -1 c.txt
sequential -c -n3 -1 -u c.txt
verbose -v -c -n3 -1 a.txt
decompress -d -c -n3 made
one-stream -d -c -n3 c.bz2
test -t -n3 made
END
        ;;
    xz-utils) cat <<'END'
compress -c -T3 -1 --block-size=16384 x.txt
noise -c -T2 -0 --block-size=16384 z.bin
no-check -c -T3 -0 --check=none --block-size=32768 y.txt
extreme -c -T2 -1e --block-size=16384 x.txt
sha -c -T4 -0 --check=sha256 --block-size=32768 y.txt
decompress -d -c -T3 made
test -t -T3 made
verbose -v -c -T3 -1 --block-size=16384 x.txt
END
        ;;
    libzstd) cat <<'END'
compress -q -c -T3 -1 -B65536 a.txt
noise -q -c -T2 -3 -B65536 b.bin
rsync -q -c -T3 -1 --rsyncable -B131072 c.txt
long -q -c -T3 -1 --long -B131072 c.txt
adapt -q -c -T2 --adapt -1 c.txt
no-check -q -c -T3 -1 --no-check -B65536 c.txt
decompress -q -d -c made
test -q -t made
END
        ;;
    esac
}
# What the program itself makes of a file, in several blocks, is the input "made".
make_made() { # make_made PROGRAM BINARY
    case $1 in
    pbzip2) "$2" -c -p2 -b1 -1 c.txt ;;
    lbzip2) "$2" -c -n2 -1 c.txt ;;
    xz-utils) "$2" -c -T2 -0 --block-size=16384 x.txt ;;
    libzstd) "$2" -q -c -T2 -1 c.txt ;;
    esac >made 2>log
}
suite_of() { # suite_of PROGRAM BINARY
    printf 'program = "%s"\ntimeout = "120s"\n' "$2"
    inputs "$1" | while read -r called words; do
        printf '[[input]]\nname = "%s"\nargs = [' "$called"
        for word in $words; do printf '"%s",' "$word"; done
        echo ']'
    done
}
# suite NAME OPTION...: result in NAME.json, processor time in NAME.time
suite() {
    local into=$1
    shift
    rm -rf "$into.dir"
    TIMEFORMAT='%U %S'
    { time "$HEDDLE" suite -q --races --no-minimize --coverage iroot,race --seed 1 --dir "$into.dir" --json "$into.json" "$@" suite.toml \
        >log 2>&1 </dev/null; } 2>"$into.time"
    [ -s "$into.json" ] || { tail -n 1 log >&2; return 1; }
}
reports() { jq -r ".inputs[].$2[]" "$1.json"; }          # all of them, once for each input
different() { reports "$@" | sort -u; }
ratio() { awk -v a="$1" -v b="$2" -v f="${3:-%.2f}" 'BEGIN { if (b > 0) printf f "\n", a / b; else print "-" }'; }
missed() { # missed KIND: percent of all.json's that chosen.json has not
    local of
    of=$(different all "$1" | wc -l)
    ratio "$(comm -23 <(different all "$1") <(different chosen "$1") | awk 'END { print 100 * NR }')" "$of" %.1f
}
overlap() { ratio "$(reports "$@" | wc -l)" "$(different "$@" | wc -l)"; }
saved() { # saved KIND
    local of
    of=$(reports all "$1" | wc -l)
    ratio "$((100 * (of - $(different all "$1" | wc -l))))" "$of" %.0f
}
shown_by() { # shown_by KIND NUMBER...: percent of the different ones that so many inputs show (figures 1 and 2)
    local kind=$1 of
    shift
    of=$(different all "$kind" | wc -l)
    ratio "$(reports all "$kind" | sort | uniq -c | awk -v from="$1" -v to="${2:-$1}" '$1 >= from && $1 <= to { n++ } END { print 100 * n }')" "$of" %.0f
}
seconds() { awk '{ print $1 + $2 }' "$1.time"; }
harm() { # harm NAME: ids of failures and of races that change the result
    jq -r 'select(.race.class != "no difference seen") | .id' "$1.dir"/findings/[!l]*/report.json 2>/dev/null | sort -u
}

program() {
    local p=$1 binary k chosen
    has "$p" "speed-up" && return
    "$ROOT/bench/real/build.sh" "$p" >/dev/null || { echo "$name: $p cannot be had here, left out" >&2; return; }
    binary=$WORK/bin/$p-tsan
    make_inputs
    make_made "$p" "$binary"
    suite_of "$p" "$binary" >suite.toml
    suite only --profile || return
    chosen=$(jq '[.inputs[] | select(.chosen)] | length' only.json)
    local n runs
    runs=$(jq --argjson each "$EACH" '[.inputs[].weight] | add * $each | ceil' only.json)
    n=$(jq '[.inputs[] | select(.state == "ready")] | length' only.json)
    suite all --every-input --no-memory --runs $((n * EACH)) || return
    suite chosen --runs "$runs" || return
    [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP/$p"; cp ./*.json ./*.time suite.toml "$KEEP/$p"; }
    put "$p" "inputs" "$n"
    put "$p" "inputs chosen" "$chosen"
    put "$p" "races" "$(different all races | wc -l)"
    put "$p" "atomicity" "$(different all atomicity | wc -l)"
    put "$p" "overlap, all" "$(overlap all races)"
    put "$p" "overlap, chosen" "$(overlap chosen races)"
    put "$p" "% races missed" "$(missed races)"
    put "$p" "% atomicity missed" "$(missed atomicity)"
    put "$p" "harmful" "$(harm all | wc -l)"
    put "$p" "harmful missed" "$(comm -23 <(harm all) <(harm chosen) | wc -l)"
    put "$p" "% events saved" "$(awk -v a="$(jq '[.inputs[].events] | add' all.json)" \
        -v b="$(jq '[.inputs[].events] | add' chosen.json)" 'BEGIN { printf "%.0f\n", 100 * (a - b) / a }')"
    put "$p" "% saved, races" "$(saved races)"
    put "$p" "% saved, atomicity" "$(saved atomicity)"
    for k in races atomicity; do
        put "$p" "% $k by 1 input" "$(shown_by $k 1)"
        put "$p" "% $k by all" "$(shown_by $k "$n")"
    done
    put "$p" "speed-up" "$(ratio "$(seconds all)" "$(seconds chosen)")"
}
[ $# -gt 0 ] || set -- pbzip2 lbzip2 xz-utils libzstd
for p; do program "$p"; done
awk -F '\t' '$2 == "speed-up" { s += log($3); n++ } END { if (n) printf "speed-up, geometric mean of %d: %.2f\n", n, exp(s / n) }' "$cells"
finish "Detection across inputs: all inputs against chosen ones" "EACH=$EACH runs an input"
