#!/usr/bin/env bash
# races_real.sh: races of programs from Debian, by class; each must replay 10 of 10.
#
#   HEDDLE=path/to/heddle tests/long/races_real.sh [pbzip2|lbzip2|xz-utils|libzstd|lrzip|minimap2|x264|memcached]...
#
# A table with a line for each program, then a line for each finding (class, sentence), to be looked
# at by hand. Fails if a finding does not replay. Programs that cannot be fetched or built here are
# named and left out. Environment: RUNS (30), BYTES (300000, of the file to be compressed),
# HEDDLE_BENCH_WORK (where sources and binaries are kept), KEEP (a folder: what is done of a program is
# kept there, with its findings, and is not done again by the same tool and as many runs). minimap2 needs libsimde-dev, lrzip
# liblzo2-dev, liblz4-dev, libbz2-dev, libgcrypt20-dev and autoreconf, memcached libevent-dev.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=$here/../../bench
HEDDLE=$(realpath "${HEDDLE:-$here/../../build/bin/heddle}")
: "${RUNS:=30}" "${BYTES:=300000}"
unset HEDDLE_OPTIONS
. "$bench/input.bash"
. "$bench/real/servers.bash"
if [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP" && work=$(realpath "$KEEP")
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
cd "$work" || exit 99
failed=0
key="$(cat "$HEDDLE" "$(dirname "$HEDDLE")/../lib/heddle/libtsan.so.2" | cksum) $RUNS $BYTES"
prose "$BYTES" >input
shown=()

# look NAME COMMAND...: a row of the table; NAME.row is there once all of it was done.
look() {
    local name=$1 replay code bad=0; shift
    [ "$1" = --script ] || set -- -- "$@"
    shown+=("$name")
    if [ "$(head -n 1 "$name.row" 2>/dev/null)" = "$key" ]; then
        sed 1d "$name.row"
        failed=$((failed + $(grep -c '^FAIL' "$name.row")))
        return
    fi
    rm -rf "$name.d" "$name.json" "$name.row"
    echo "$key" >row
    "$HEDDLE" races -q --runs "$RUNS" --seed 1 --timeout 60s --dir "$name.d" --json "$name.json" "$@" \
        </dev/null >"$name.out" 2>"$name.err"
    code=$?
    [ -s "$name.json" ] || { echo "| $name | exit $code: $(tail -n 1 "$name.err") | | | | | |"; failed=$((failed + 1)); return; }
    for replay in "$name.d"/findings/*-*/replay.heddle; do
        [ -e "$replay" ] || continue
        "$HEDDLE" replay -q --times 10 "$replay" </dev/null >replay.out 2>&1
        [ $? = 66 ] || { bad=$((bad + 1)); echo "FAIL  $name: $replay: $(tail -n 1 replay.out)" | tee -a row; }
    done
    failed=$((failed + bad))
    jq -r --arg name "$name" --arg bad "$bad" '[.findings[] | .race.class // .kind] as $c |
        "| \($name) | \(.runs) | \($c | map(select(. == "changes")) | length) | \($c | map(select(. == "same")) | length) | \($c | map(select(. == "memory-order")) | length) | \($c | map(select(. != "changes" and . != "same" and . != "memory-order")) | length) | \($bad) |"' "$name.json" | tee -a row
    mv row "$name.row"
}

# A genome of one piece, and reads of it with mistakes.
reads() {
    awk 'BEGIN {
        srand(1); split("A C G T", base, " ")
        for (i = 0; i < 20000; i++) genome = genome base[1 + int(4 * rand())]
        print ">g\n" genome >"genome.fa"
        for (k = 0; k < 24; k++) {
            piece = substr(genome, 1 + int(18000 * rand()), 2000)
            for (i = 0; i < 40; i++) { at = 2 + int(1990 * rand()); piece = substr(piece, 1, at - 1) base[1 + int(4 * rand())] substr(piece, at + 1) }
            print ">r" k "\n" piece >"reads.fa"
        }
    }'
}

# Four frames of moving noise.
film() { awk 'BEGIN { srand(1); for (i = 0; i < 4 * 6144; i++) printf "%c", 32 + int(90 * rand()) }' >film.yuv; }

echo "| program | runs | changes the result | no difference seen | memory order only | others | did not replay |"
echo "|---|---|---|---|---|---|---|"
[ $# -gt 0 ] || set -- pbzip2 lbzip2 xz-utils libzstd lrzip minimap2 x264 memcached
for what; do
    program=$("$bench/real/build.sh" "$what" 2>/dev/null) || { echo "| $what | cannot be had here | | | | | |"; continue; }
    case $what in
    pbzip2) look pbzip2 "$program" -c -k -p2 -b1 input ;;
    lbzip2) look lbzip2 "$program" -c -k -n2 input ;;
    xz-utils) look xz "$program" -c -k -1 -T2 --block-size=65536 input ;;
    libzstd) # a job is half a megabyte at least
        for _ in 1 2 3 4 5 6 7 8; do cat input; done >input8
        look zstd "$program" -q -c -1 -T2 -B65536 input8 ;;
    lrzip) look lrzip "$program" -q -f -l -p 2 -w 1 -o out.lrz input ;;
    minimap2) reads; look minimap2 "$program" -t 2 -K 8000 genome.fa reads.fa ;;
    x264) film; look x264 "$program" --quiet --threads 2 --preset ultrafast --demuxer raw --input-res 64x64 -o out.264 film.yuv ;;
    memcached)
        gcc -O2 -pthread -o client "$bench/real/memcached_client.c" &&
            memcached_script "$program" "$work/client" 2 4 >server.toml
        look memcached --script server.toml ;;
    *) echo "races_real.sh: no program $what" >&2; exit 64 ;;
    esac
done
echo
for name in "${shown[@]}"; do
    [ ! -s "$name.json" ] || jq -r --arg name "$name" '.findings[] | "\($name): \(.race.class // .kind): \(.title)"' "$name.json"
done
[ "$failed" = 0 ]
