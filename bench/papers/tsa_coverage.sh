#!/usr/bin/env bash
# TSA (ISSTA 2012), tables 2 to 4: synchronization pairs at saturation and the time until then
# against 15 random baselines, and how good the estimate is. LONG=1: 30 seeds, as in the paper. Then how much the
# parameter of a baseline matters, Wilcoxon's test, and the curves of figures 4 and 5 (pairs by number of runs and by time,
# docs/papers/tsa_curves.svg, tsa_curves_time.svg). A seed takes 47 seconds of processor time; what is there is not run
# again, MINUTES=25 stops after so many. EACH=500: so many runs for each campaign, as in table 2.
. "$(dirname "$0")/lib.bash"
cat <<'END'
paper (13 Java programs): covers at least as much as the best baseline on 9 of 13, in 0.11 to 1.11 of its
time; the estimate is within 2 % on 10 of 13 by its text (HashTable2 11 %, pool 55 %, VFS2 27 % too many).
here:
END
[ -z "$LONG" ] || export SEEDS=30
bash "$ROOT/bench/tsa.sh" "$@"
results=${RESULTS:-${HEDDLE_BENCH_WORK:-$ROOT/bench/work}/tsa${EACH:+-$EACH}.csv}
printf '\npercent that the best of five parameters covers more than the worst (paper: 0.4 to 38.8 for 100 ms)\n'
awk -v kind=spread -f "$papers/tsa_curves.awk" "$results" | sort | awk -F '\t' -f "$papers/table.awk"
printf "\nWilcoxon: program, best baseline, mean of tsa, mean of the baseline, seeds, p\n"
awk -f "$papers/wilcoxon.awk" "$results"
curves() { # curves KIND FILE TITLE ALONG
    awk -v kind="$1" -f "$papers/tsa_curves.awk" "$results" >"$tmp/curve"
    awk -F '\t' -f "$papers/table.awk" "$tmp/curve"
    draw "$2" "$3" "pairs, sum of the programs" curves "$4" <"$tmp/curve"
}
curves curve tsa_curves "TSA, figure 4: synchronization pairs by runs" runs
curves time tsa_curves_time "TSA, figure 5: synchronization pairs by processor time" milliseconds
