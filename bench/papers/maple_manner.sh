#!/usr/bin/env bash
# Maple (OOPSLA 2012), section 4: its active scheduler as the paper has it (strategy `maple`:
# complementary schedules, watching, arbitration by chance, idiom after idiom) beside ours (`active`:
# instances by context and number, recorded runs as a way there, yield decides). Of the candidates that
# were driven, the percentage that the run for it showed; and runs to the bug. The paper's
# percentages (its table 5) are of all predicted ones, also those that nobody came to.
. "$(dirname "$0")/lib.bash"
: "${DRIVEN:=400}" # runs of a campaign that does not stop at a finding
middle() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
seeds() { # seeds STRATEGY PROGRAM: runs to the bug, median of five
    for seed in 1 2 3 4 5; do runs_to_bug --strategy "$1" -- "./$2"; done | middle
}
hits() { # hits STRATEGY PROGRAM: percent of those driven
    RUNS=$DRIVEN campaign --keep-going --strategy "$1" -- "./$2" &&
        jq -r '.drive.all | if .tried > 0 then 1000 * .hit / .tried | round / 10 else "-" end' r.json
}
for f in "$ROOT"/tests/target/buggy/{log_sweep,string_buffer,circular_list,bank,log_miss,compress_shutdown,log_rotate,download_resume,cache_increment}.c \
    "$papers"/extracted/*.c; do
    p=$(basename "$f" .c)
    build "$f" "$p" || continue
    for how in active maple; do
        cell "$p" "$how runs" seeds "$how" "$p"
        cell "$p" "$how % shown" hits "$how" "$p"
    done
done
awk -F '\t' '$2 ~ /shown$/ && $3 != "-" { sum[$2] += $3; n[$2]++ }
    END { for (s in n) printf "mean of %s: %.1f over %d programs\n", s, sum[s] / n[s], n[s] }' "$cells" | sort
grep 'runs	' "$cells" | draw maple_manner_runs "Maple's scheduler and ours: runs to the bug" "runs, median of 5 seeds"
grep 'shown	' "$cells" >"$tmp/drawn"
awk -F '\t' -f "$papers/table.awk" "$cells"
cells=$tmp/drawn
finish "Maple's scheduler and ours: shown when driven" "percent of the candidates driven"
