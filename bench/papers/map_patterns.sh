#!/usr/bin/env bash
# MAP coverage (ASE 2019), figure 4: the patterns that failing runs were driven into. For each class a campaign
# of RUNS_EACH (200) runs with threads that goes on after failures; runs that failed by chance are counted apart.
# Usage: map_patterns.sh [CLASS...]
. "$(dirname "$0")/lib.bash"
. "$papers/classes.bash"
: "${RUNS_EACH:=200}" "${TIME:=600}"
echo "paper: pattern 3 (two writes) leads to more than half of the bugs of 20 classes"
for class in ${*:-$(all_classes)}; do
    has "$class" "0" && continue
    gen "$class" --pick map --seed 1 -k --runs "$RUNS_EACH" --time "$TIME" || continue
    jq -r --arg c "$class" '.by_pattern | to_entries[] | "\($c)\t\(.key)\t\(.value)"' r.json >>"$cells"
done
awk -F '\t' '{ n[$2] += $3 } END { for (i = 0; i <= 17; i++) printf "%s\tfailing tests\t%d\n", i ? "pattern " i : "by chance", n[i] }' "$cells" >"$tmp/drawn"
cells=$tmp/drawn
finish "MAP coverage, figure 4: what failing runs were driven into" "tests that failed" bars pattern
