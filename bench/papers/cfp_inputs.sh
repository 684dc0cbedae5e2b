#!/usr/bin/env bash
# Cross-input detection (position paper on concurrent function pairs), tables 2 to 4 and figures 1
# and 2: real programs of Debian with twelve inputs each (INPUTS=8: the first eight). Races and atomicity violations (pairs and
# triples of places that runs showed or said to be possible) are looked for
#   all      under every input, in all functions, without memory: the exhaustive way
#   chosen   as `heddle suite` does: a cheap run of each input, then the inputs that show new pairs of
#            functions, in the functions that are in such pairs, with memory of what was tested
# with EACH runs (10; campaigns of some seconds) for each input that is tested, of the chosen ones for
# the one that brings most; the others get by what is new in them. Whatever was run is kept in
# bench/work/cfp/PROGRAM (FRESH=1 removes it), one input at a time: an interrupted bench goes on there.
#   overlap     reports over all inputs for each different one
#   % missed    of what the exhaustive way reports: not reported by the other
#   % by 1, all of what the exhaustive way reports: shown by one input alone, by all of them (figures 1, 2)
#   % saved     of runs that test one order each: those that memory of tested orders saves (table 2)
#   speed-up    processor time of the exhaustive way over that of the other, cheap runs included
# Then, for each input, how many of its races all inputs show, some, and it alone (figures 1 and 2), and what each two
# inputs have in common.
# Usage: cfp_inputs.sh [pbzip2|lbzip2|xz-utils|libzstd|zpaq]...
# zpaq is held out: nothing in Heddle was chosen by it, and it is not among those that are measured unless it is named.
. "$(dirname "$0")/lib.bash"
. "$ROOT/bench/input.bash"
: "${EACH:=10}" "${INPUTS:=12}" "${WORK:=${HEDDLE_BENCH_WORK:-$ROOT/bench/work}}"
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
    prose 320000 >c.txt
    awk 'BEGIN { srand(2); for (i = 0; i < 200000; i++) printf "%c", 33 + int(90 * rand()) }' >b.bin
    bzip2 -1 -c c.txt >c.bz2
    prose 640000 >w.txt # zstd compresses less than 512 KiB in one thread; --fast skips most of it
    awk 'BEGIN { srand(3); for (i = 0; i < 640000; i++) printf "%c", 33 + int(90 * rand()) }' >v.bin
    fold -w1 a.txt | head -n 3900 | awk '{ while (length($0) < 40) $0 = $0 $0; printf "%s", $0 }' >q.txt # lbzip2 sorts
    head -c 150000 q.txt >r.txt                                                                     # no repeats
    bzip2 -1 -c r.txt >r.bz2
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
two -c -p2 -b1 -5 a.txt
memory -c -m20 -p3 -b1 -1 c.txt
garbage -d -c -p2 --ignore-trailing-garbage=1 made
quiet-test -t -q -p2 made
END
        ;;
    lbzip2) cat <<'END'
compress -c -n3 -1 r.txt
best -c -n2 -9 q.txt
more -c -n4 -1 q.txt
sequential -c -n3 -1 -u q.txt
verbose -v -c -n3 -1 r.txt
decompress -d -c -n3 made
one-stream -d -c -n3 r.bz2
test -t -n3 made
two -c -n2 -1 r.txt
small -c -n3 -1 -s r.txt
verbose-decompress -d -v -c -n3 made
quiet-test -t -q -n2 made
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
two -c -T2 -0 --block-size=32768 y.txt
crc32 -c -T3 -0 --check=crc32 --block-size=16384 x.txt
dictionary -c -T3 --lzma2=preset=0,dict=65536 --block-size=16384 x.txt
verbose-test -t -v -T2 made
END
        ;;
    zpaq) cat <<'END'
compress a NOTHING a.txt c.txt -threads 3 -method 10
noise a NOTHING b.bin v.bin -threads 2 -method 10
one a NOTHING x.txt -threads 2 -method 1
many a NOTHING a.txt b.bin c.txt r.txt -threads 4 -method 10
store a NOTHING a.txt b.bin -threads 3 -method 00
slower a NOTHING x.txt z.bin -threads 3 -method 20
test x made.zpaq -test -threads 3
test-two x made.zpaq -test -threads 2
summary a NOTHING a.txt c.txt -threads 3 -method 10 -summary 1
all x made.zpaq -test -all -threads 3
part x made.zpaq a.txt -test -threads 4
fragment a NOTHING a.txt c.txt -threads 3 -method 10 -fragment 4
END
        ;;
    libzstd) cat <<'END'
compress -q -c -T3 --fast=5000 -B524288 w.txt
noise -q -c -T2 --fast=5000 -B524288 v.bin
stream -q -c -T3 --fast=5000 --stream-size=640000 -B524288 w.txt
long -q -c -T3 --fast=5000 --long -B524288 w.txt
adapt -q -c -T2 --adapt --fast=5000 -B524288 w.txt
no-check -q -c -T3 --fast=5000 --no-check -B524288 w.txt
two -q -c -T2 --fast=5000 -B524288 w.txt
verbose -v -c -T3 --fast=5000 -B524288 v.bin
four -q -c -T4 --fast=5000 -B524288 v.bin
slower -q -c -T3 --fast=1000 -B524288 w.txt
literals -q -c -T2 --fast=5000 --no-compress-literals -B524288 w.txt
size -q -c -T3 --fast=5000 --no-content-size -B524288 w.txt
END
        ;;
    esac
}
# What the program itself makes of a file, in several blocks, is the input "made".
make_made() { # make_made PROGRAM BINARY
    case $1 in
    pbzip2) "$2" -c -p2 -b1 -1 c.txt ;;
    lbzip2) "$2" -c -n2 -1 q.txt ;;
    xz-utils) "$2" -c -T2 -0 --block-size=16384 x.txt ;;
    zpaq) for f in a.txt b.bin x.txt c.txt; do "$2" a made.zpaq $f -method 10; done ;;
    *) return ;;
    esac >made 2>log
}
suite_of() { # suite_of PROGRAM BINARY [INPUT]
    printf 'program = "%s"\ntimeout = "120s"\n' "$2"
    inputs "$1" | head -n "$INPUTS" | while read -r called words; do
        [ -z "${3:-}" ] || [ "$called" = "$3" ] || continue
        printf '[[input]]\nname = "%s"\nargs = [' "$called"
        for word in $words; do printf '"%s",' "${word#NOTHING}"; done
        echo ']'
    done
}
# suite NAME FILE OPTION...: result in NAME.json, processor time in NAME.time, unless they are there
suite() {
    local into=$1 file=$2
    shift 2
    [ -s "$into.json" ] && return
    rm -rf "$into.dir"
    TIMEFORMAT='%U %S'
    { time "$HEDDLE" suite -q --races --no-minimize --coverage iroot,race --seed "${seed:-1}" --dir "$into.dir" --json new.json "$@" "$file" \
        >log 2>&1 </dev/null; } 2>"$into.time"
    [ -s new.json ] && ! jq -e .interrupted new.json >/dev/null || { tail -n 1 log >&2; return 1; }
    mv new.json "$into.json"
}
# Without memory inputs know nothing of each other: each is a suite of its own, NAME.INPUT.json.
suite_all() { # suite_all PROGRAM BINARY NAME SEED
    local called all=$3 seed=$4
    for called in $(jq -r '.inputs[] | select(.state == "ready") | .name' "$only.json"); do
        suite_of "$1" "$2" "$called" >"$called.toml"
        suite "$all.$called" "$called.toml" --every-input --no-memory --runs "$EACH" || return
    done
    rm -f "$all.json" "$all.time"
    for called in $(jq -r '.inputs[] | select(.state == "ready") | .name' "$only.json"); do
        cat "$all.$called.time" >>"$all.time"
        jq '.inputs[]' "$all.$called.json"
    done | jq -s '{inputs: .}' >"$all.json"
}
reports() { jq -r ".inputs[].$2[]" "$1.json"; }          # all of them, once for each input
different() { reports "$@" | sort -u; }
ratio() { awk -v a="$1" -v b="$2" -v f="${3:-%.2f}" 'BEGIN { if (b > 0) printf f "\n", a / b; else print "-" }'; }
missed() { # missed KIND NAME: percent of all.json's that NAME.json has not
    local of
    of=$(different all "$1" | wc -l)
    ratio "$(comm -23 <(different all "$1") <(different "$2" "$1") | awk 'END { print 100 * NR }')" "$of" %.1f
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
seconds() { awk '{ s += $1 + $2 } END { print s }' "$1.time"; }
harm() { # harm NAME: ids of failures and of races that change the result
    jq -r 'select(.race.class != "no difference seen") | .id' "$1".dir/findings/[!l]*/report.json \
        "$1".[a-z]*.dir/findings/[!l]*/report.json 2>/dev/null | sort -u
}
# How many of an input's all inputs show, some, and it alone; then what each two of them have in common.
figures() { # figures KIND
    jq -r --arg kind "$1" '.inputs[] | .name as $n | [$n, ""], (.[$kind][] | [$n, .]) | @tsv' all.json | awk -F '\t' -v kind="$1" '
        $2 == "" { name[++n] = $1; of[$1] = 0; next }
        { of[$1]++; by[$2]++; has[$1, $2]; what[$2] }
        END {
            printf "%-14s %5s %5s %5s %5s   in common with\n", kind, "", "all", "some", "alone"
            for (i = 1; i <= n; i++) {
                all = alone = 0
                for (w in what) if ((name[i], w) in has) { all += by[w] == n; alone += by[w] == 1 && n > 1 }
                printf "%-14s %5d %5d %5d %5d  ", name[i], of[name[i]], all, of[name[i]] - all - alone, alone
                for (k = 1; k <= n; k++) {
                    shared = 0
                    for (w in what) shared += (name[i], w) in has && (name[k], w) in has
                    printf " %4d", shared
                }
                print ""
            }
        }'
}

program() {
    local p=$1 row=$1 binary k chosen only=only.$INPUTS few=chosen.$INPUTS n runs
    [ "$INPUTS" = 12 ] || row="$p, $INPUTS inputs"
    has "$row" "speed-up" && return
    "$ROOT/bench/real/build.sh" "$p" >/dev/null || { echo "$name: $p cannot be had here, left out" >&2; return; }
    binary=$WORK/bin/$p-tsan
    [ -z "${FRESH:-}" ] || rm -rf "$WORK/cfp/$p"
    mkdir -p "$WORK/cfp/$p" && cd "$WORK/cfp/$p" || return
    make_inputs
    [ -s made ] || make_made "$p" "$binary"
    suite_of "$p" "$binary" >suite.toml
    suite "$only" suite.toml --profile || return
    chosen=$(jq '[.inputs[] | select(.chosen)] | length' "$only.json")
    runs=$(jq --argjson each "$EACH" '[.inputs[].weight] | add * $each | ceil' "$only.json")
    n=$(jq '[.inputs[] | select(.state == "ready")] | length' "$only.json")
    suite "$few" suite.toml --runs "$runs" || return
    suite_all "$p" "$binary" all 1 || return
    suite_all "$p" "$binary" again 2 || return
    put "$row" "inputs" "$n"
    put "$row" "inputs chosen" "$chosen"
    put "$row" "races" "$(different all races | wc -l)"
    put "$row" "atomicity" "$(different all atomicity | wc -l)"
    put "$row" "overlap, all" "$(overlap all races)"
    put "$row" "overlap, chosen" "$(overlap "$few" races)"
    put "$row" "% races missed" "$(missed races "$few")"
    put "$row" "% atomicity missed" "$(missed atomicity "$few")"
    put "$row" "% races missed by all, seed 2" "$(missed races again)"
    put "$row" "% atomicity missed by all, seed 2" "$(missed atomicity again)"
    put "$row" "harmful" "$(harm all | wc -l)"
    put "$row" "harmful missed" "$(comm -23 <(harm all) <(harm "$few") | wc -l)"
    put "$row" "% events saved" "$(awk -v a="$(jq '[.inputs[].events] | add' all.json)" \
        -v b="$(jq '[.inputs[].events] | add' "$few.json")" 'BEGIN { printf "%.0f\n", 100 * (a - b) / a }')"
    put "$row" "% saved, races" "$(saved races)"
    put "$row" "% saved, atomicity" "$(saved atomicity)"
    for k in races atomicity; do
        put "$row" "% $k by 1 input" "$(shown_by $k 1)"
        put "$row" "% $k by all" "$(shown_by $k "$n")"
    done
    put "$row" "seconds, all" "$(seconds all)"
    put "$row" "runs into races, all" "$(jq '[.inputs[].race_runs] | add' all.json)"
    put "$row" "runs into races, chosen" "$(jq '[.inputs[].race_runs] | add' "$few.json")"
    put "$row" "speed-up" "$(ratio "$(seconds all)" "$(seconds "$few")")"
    { figures races; figures atomicity; } >"figures.$INPUTS.txt"
}
[ $# -gt 0 ] || set -- pbzip2 lbzip2 xz-utils libzstd
for p; do
    program "$p"
    [ ! -s "$WORK/cfp/$p/figures.$INPUTS.txt" ] || { printf '\n%s, by input\n' "$p"; cat "$WORK/cfp/$p/figures.$INPUTS.txt"; }
done
awk -F '\t' -v which=" $INPUTS inputs" '$2 == "speed-up" && (which == " 12 inputs" ? $1 !~ / inputs$/ : $1 ~ which "$") { s += log($3); n++ } END { if (n) printf "speed-up, geometric mean of %d: %.2f\n", n, exp(s / n) }' "$cells"
finish "Detection across inputs: all inputs against chosen ones" "EACH=$EACH runs an input"
awk -F '\t' '$2 ~ /speed-up$|% races missed$/' "$cells" | # the others have units of their own
    draw "$name" "Detection across inputs: all inputs against chosen ones" "times as fast; % missed"
