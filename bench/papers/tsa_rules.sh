#!/usr/bin/env bash
# TSA (ISSTA 2012), table 5: what the third rule is good for. Pairs covered at saturation with
# and without it, runs until then, and its share of the lock calls that were let go.
. "$(dirname "$0")/lib.bash"
paper "% by rule 3" ArrayList1=81.9 HashSet1=81.9 HashTable1=16.9 HashTable2=95 cache4j=99.9 pool=91.9 VFS2=83.9
measure() { # measure STRATEGY JQ
    campaign --coverage syncpair --strategy "$1" --until saturated -- "./$p" && jq -r "$2" r.json
}
covered='.coverage.metrics[] | select(.name == "syncpair").covered'
for f in "$ROOT"/bench/programs/tsa/*.c; do
    p=$(basename "$f" .c)
    build "$f" "$p" || continue
    cell "$p" "tsa covers" measure tsa "$covered"
    cell "$p" "tsa runs" measure tsa .runs
    cell "$p" "tsa=2 covers" measure tsa=2 "$covered"
    cell "$p" "tsa=2 runs" measure tsa=2 .runs
    cell "$p" "% by rule 3" measure tsa '.tsa.by_rule | 1000 * .[2] / add | round / 10'
done
finish "TSA, table 5: with and without the third rule" "pairs, runs, percent"
