#!/usr/bin/env bash
# MAP coverage (ASE 2019), RQ3 and table IV: Kendall's tau-b between coverage and different failures found,
# locks left out to have more of them (--without-locks all). As in the paper: for each class campaigns with
# different SEEDS ("1 2 3"; LONG=1: ten), looked at after each quarter; patterns with --pick map, pairs of
# operations with --pick covcon. Two failures are the same if their kind is, and they show at the same operation
# (the paper: the same exception from the same instruction). RUNS_EACH (200): runs with threads of a campaign.
# Usage: map_correlation.sh [CLASS...]
. "$(dirname "$0")/lib.bash"
. "$papers/classes.bash"
: "${SEEDS:=${LONG:+1 2 3 4 5 6 7 8 9 10}}" "${RUNS_EACH:=200}" "${TIME:=600}"
: "${SEEDS:=1 2 3}"
echo "paper: 0.43 for patterns, 0.13 for method pairs; means of its columns are 0.35 and 0.29"
points=$cells.points # class, pick, seed, quarter, coverage, failures
touch "$points"
[ -z "${FRESH:-}" ] || : >"$points"
tau() { # tau PICK [CLASS]: coverage and failures as shares of the most of the class
    awk -F '\t' -v pick="$1" -v class="${2:-}" '
    $2 != pick || (class && $1 != class) { next }
    { of[++n] = $1; c[n] = $5; f[n] = $6; if ($5 > mc[$1]) mc[$1] = $5; if ($6 > mf[$1]) mf[$1] = $6 }
    END {
        for (i = 1; i <= n; i++) { c[i] = mc[of[i]] ? c[i] / mc[of[i]] : 0; f[i] = mf[of[i]] ? f[i] / mf[of[i]] : 0 }
        for (i = 1; i <= n; i++) for (k = i + 1; k <= n; k++) {
            a = c[i] - c[k]; b = f[i] - f[k]
            if (a * b > 0) up++; else if (a * b < 0) down++
            if (a) na++; if (b) nb++
        }
        if (na && nb) printf "%.2f\n", (up - down) / sqrt(na * nb); else print "-"
    }' "$points"
}
for class in ${*:-$(all_classes)}; do
    for pick in map covcon; do
        for seed in $SEEDS; do
            grep -q "^$class	$pick	$seed	" "$points" && continue
            gen "$class" --contract thread-safe --no-race --without-locks all --pick $pick --seed "$seed" -k \
                --runs "$RUNS_EACH" --time "$TIME" || continue
            what=patterns
            [ $pick = map ] || what=pairs
            jq -r --arg w "$class	$pick	$seed" ".curve as \$c | (4, 9, 14, 19) | select(\$c[.]) | \"\(\$w)\t\(. + 1)\t\(\$c[.].$what)\t\(\$c[.].causes)\"" r.json >>"$points"
        done
    done
    awk -F '\t' -v c="$class" '$1 == c && $2 == "map" { if ($5 > p) p = $5; if ($6 > f) f = $6 } END { print p + 0, f + 0 }' "$points" >most
    read -r patterns failures <most
    cell "$class" patterns echo "$patterns"
    cell "$class" failures echo "$failures"
    cell "$class" "tau, patterns" tau map "$class"
    cell "$class" "tau, pairs" tau covcon "$class"
done
echo "tau-b over all points: patterns $(tau map), pairs of operations $(tau covcon)"
awk -F '\t' '$2 ~ /^tau/ && $3 != "-" { n[$2]++; s[$2] += $3 } END { for (t in n) printf "mean of %s: %.2f over %d classes\n", t, s[t] / n[t], n[t] }' "$cells" | sort
awk -F '\t' '$2 ~ /^tau/' "$cells" >"$tmp/drawn"
awk -F '\t' -f "$papers/table.awk" "$cells"
cells=$tmp/drawn
finish "MAP coverage, table IV: coverage and failures" "Kendall's tau-b" bars class
