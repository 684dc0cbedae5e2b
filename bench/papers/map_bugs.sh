#!/usr/bin/env bash
# MAP coverage (ASE 2019), RQ1 and table III: runs with threads to the first failure of a class
#   map         pairs of calls by patterns, runs driven into patterns (MAPTest)
#   map-random  pairs by chance, runs driven likewise (MAPTest-Random)
#   covcon      pairs by how rarely they overlapped, runs by chance (CovCon)
#   random      calls and runs by chance
# Medians over SEEDS ("1"; LONG=1: ten); one that was not found counts with all its runs. The paper's
# figures are seconds. A campaign has RUNS_EACH (2000) runs and at most
# TIME (300) seconds: on a loaded machine runs are what can be compared. Usage: map_bugs.sh [CLASS...]
. "$(dirname "$0")/lib.bash"
. "$papers/classes.bash"
RUNS=${RUNS_EACH:-2000}
: "${TIME:=300}" "${SEEDS:=${LONG:+1 2 3 4 5 6 7 8 9 10}}"
: "${SEEDS:=1}"
cat <<'END'
paper (20 Java classes, 10 runs of at most an hour): MAPTest finds all 20 in each run, CovCon 18; speed-up over
CovCon 17 (arithmetic mean, most 193; geometric 4.0), over MAPTest-Random 3.5 (geometric).
END
runs_of() { # runs_of CLASS PICK
    for seed in $SEEDS; do
        gen "$1" --pick "$2" --seed "$seed" --runs "$RUNS" --time "$TIME" || continue
        jq -r 'if .findings > 0 then .found_runs else .runs end' r.json
        jq -r --arg w "$1	$2	$seed" '"\($w)\t\(.findings > 0)"' r.json >>"$cells.found"
    done | middle
}
touch "$cells.found"
[ -z "${FRESH:-}" ] || : >"$cells.found"
for class in ${*:-$(all_classes)}; do
    for pick in map map-random covcon random; do cell "$class" "$pick" runs_of "$class" "$pick"; done
done
awk -F '\t' '{ n[$2]++; f[$2] += $4 == "true" } END { for (p in n) printf "%s: found in %d of %d campaigns\n", p, f[p], n[p] }' "$cells.found" | sort
awk -F '\t' '$3 > 0 { v[$1, $2] = $3; row[$1] = 1 }
function ratio(other, than,   r, x, n, sum, sq, m, sd) {
    for (r in row) if (v[r, other] && v[r, than]) { x = log(v[r, other] / v[r, than]); sum += x; sq += x * x; n++ }
    if (!n) return
    m = sum / n
    sd = n > 1 ? sqrt((sq - n * m * m) / (n - 1) / n) : 0
    printf "%s over %s: %.2f times fewer runs (geometric mean of %d; 95 %%: %.2f to %.2f)\n", than, other, exp(m), n, exp(m - 1.96 * sd), exp(m + 1.96 * sd)
}
END { ratio("covcon", "map"); ratio("map-random", "map"); ratio("random", "map"); ratio("covcon", "map-random") }' "$cells"
finish "MAP coverage, table III: runs to the first failure" "runs with threads; median of seeds: $SEEDS" bars class
