#!/usr/bin/env bash
# TSA (ISSTA 2012), table 5: what the third rule is good for. Pairs covered at saturation with
# and without it, runs until then, and its share of the lock calls that were let go.
. "$(dirname "$0")/lib.bash"
paper "% by rule 3" ArrayList1=81.9 HashSet1=81.9 HashTable1=16.9 HashTable2=95 cache4j=99.9 pool=91.9 VFS2=83.9
covered='.coverage.metrics[] | select(.name == "syncpair").covered'
for f in "$ROOT"/bench/programs/tsa/*.c; do
    p=$(basename "$f" .c)
    build "$f" "$p" || continue
    for how in tsa tsa=2; do
        has "$p" "$how runs" && continue
        campaign --coverage syncpair --strategy $how --until saturated -- "./$p" || continue
        put "$p" "$how covers" "$(jq -r "$covered" r.json)"
        [ $how != tsa ] || put "$p" "% by rule 3" "$(jq -r '.tsa.by_rule | 1000 * .[2] / add | round / 10' r.json)"
        put "$p" "$how runs" "$(jq -r .runs r.json)"
    done
done
finish "TSA, table 5: with and without the third rule" "pairs, runs, percent"
