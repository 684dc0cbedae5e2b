#!/usr/bin/env bash
# TSA (ISSTA 2012), table 5: what the third rule is good for. Pairs covered at saturation with
# and without it, runs until then, and its share of the lock calls that were let go. Means of SEEDS (5, LONG=1: 30
# as in the paper) campaigns; programs and their second tests as in bench/tsa.sh.
. "$(dirname "$0")/lib.bash"
: "${SEEDS:=${LONG:+30}}" "${SEEDS:=5}"
paper "% by rule 3" ArrayList1=81.9 ArrayList2=98.0 HashSet1=81.9 HashSet2=98.1 HashTable1=16.9 HashTable2=95.0 \
    LinkedList1=86.1 LinkedList2=98.0 TreeSet1=82.4 TreeSet2=97.9 cache4j=99.9 pool=91.9 VFS2=83.9
covered='.coverage.metrics[] | select(.name == "syncpair").covered'
mean() { awk '{ s += $1 } END { if (NR) printf "%.1f\n", s / NR; else print "-" }'; }
compare() { # compare ROW PROGRAM [ARG...]
    local row=$1 how
    shift
    for how in tsa tsa=2; do
        has "$row" "$how runs" && continue
        : >covers && : >share && : >runs
        for ((seed = 1; seed <= SEEDS; seed++)); do
            campaign --keep-going --coverage syncpair --strategy $how --until saturated -- "$@" || continue
            jq -r "$covered" r.json >>covers
            jq -r .runs r.json >>runs
            jq -r '.tsa.by_rule | 100 * .[2] / add' r.json >>share
        done
        put "$row" "$how covers" "$(mean <covers)"
        [ $how != tsa ] || put "$row" "% by rule 3" "$(mean <share)"
        put "$row" "$how runs" "$(mean <runs)"
    done
}
for f in "$ROOT"/bench/programs/tsa/*.c; do
    p=$(basename "$f" .c)
    gcc -g -O2 -pthread -fsanitize=thread -o "$p" "$f" || { echo "$name: $f cannot be built, left out" >&2; continue; }
    compare "$p" "./$p"
    [ "$p" = thread_pool ] || compare "$p-many" "./$p" 12 2
done
grep '% by rule 3	' "$cells" | draw tsa_rules_share "TSA, table 5: share of the third rule (the paper's programs and ours)" "percent of the lock calls let go"
awk -F '\t' -f "$papers/table.awk" "$cells"
grep -v '% by rule 3	' "$cells" >"$tmp/drawn"
cells=$tmp/drawn
finish "TSA, table 5: with (tsa) and without (tsa=2) the third rule" "pairs and runs; means of $SEEDS seeds"
