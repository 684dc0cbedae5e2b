#!/usr/bin/env bash
# MAP coverage (ASE 2019), RQ2 and figure 5: patterns covered over time, as a share of those that a campaign
# four times as long covered; and how much more that is than with calls and runs by chance. Time is counted in
# runs with threads: TOTAL (1600) for the whole, a quarter of it for the curve. The paper's random engine
# does not control threads; here `--pick random` does, and draws schedules by chance.
# Usage: map_coverage.sh [CLASS...]
. "$(dirname "$0")/lib.bash"
. "$papers/classes.bash"
: "${TOTAL:=1600}" "${TIME:=600}"
echo "paper: over 50 % after a quarter of the time for 14 of 20 classes; the difference to chance grows in all of them"
curve() { # curve CLASS: patterns after each 20th of the runs, of both; then the whole
    gen "$1" --pick map --seed 1 -k --runs "$TOTAL" --time "$TIME" || return
    jq -r '.patterns_covered' r.json
    gen "$1" --pick map --seed 2 -k --runs $((TOTAL / 4)) --time "$TIME" && jq -r '[.curve[].patterns] | @tsv' r.json
    gen "$1" --pick random --seed 2 -k --runs $((TOTAL / 4)) --time "$TIME" && jq -r '[.curve[].patterns] | @tsv' r.json
}
for class in ${*:-$(all_classes)}; do
    has "$class" "% random" && continue
    curve "$class" | awk -v c="$class" '
        NR == 1 { all = $1 } NR == 2 { for (i = 1; i <= NF; i++) m[i] = $i; n = NF } NR == 3 { for (i = 1; i <= NF; i++) r[i] = $i; k = NF }
        function share(x) { return all ? sprintf("%.0f", 100 * x / all) : "-" }
        END {
            if (NR < 3 || n < 20 || k < 20) exit
            printf "%s\twhole\t%d\n", c, all
            for (i = 5; i <= 20; i += i) printf "%s\t%% map%s\t%s\n", c, at[i], share(m[i])
            for (i = 5; i <= 20; i += i) printf "%s\t%% random%s\t%s\n", c, at[i], share(r[i])
        }
        BEGIN { at[5] = ", 1/4 of it"; at[10] = ", 1/2" }' >>"$cells"
done
awk -F '\t' '$2 == "% map" { n++; half += $3 > 50; sum += $3; m[$1] = $3 } $2 == "% random" { k++; r += $3; more += m[$1] > $3; same += m[$1] == $3 }
END { if (n) printf "over 50 %% in %d of %d classes; mean %.0f %%, by chance %.0f %%; more than by chance in %d, as much in %d\n", half, n, sum / n, r / k, more, same }' "$cells"
# Figure 5, right: more than by chance, and how that grows.
awk -F '\t' '/\t% / { v[$2, $1] = $3; class[$1] }
END {
    for (c in class) if (("% random", c) in v) {
        n++
        a = v["% map, 1/4 of it", c] - v["% random, 1/4 of it", c]; b = v["% map, 1/2", c] - v["% random, 1/2", c]
        d = v["% map", c] - v["% random", c]
        sa += a; sb += b; sd += d
        if (d > a) grows++; else if (d == a) same++
    }
    if (n) printf "more than by chance, mean in percent of the whole, after 1/4, 1/2 and all of the runs: %.1f, %.1f, %.1f; at the end more than after 1/4 in %d of %d, as much in %d\n", sa / n, sb / n, sd / n, grows, n, same
}' "$cells"
# The whole is another unit: not drawn.
awk -F '\t' '$2 != "whole"' "$cells" >"$tmp/drawn" && cells=$tmp/drawn
finish "MAP coverage, figure 5: patterns covered in $((TOTAL / 4)) runs" "percent of those in $TOTAL runs" bars class
