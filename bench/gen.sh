#!/usr/bin/env bash
# bench/gen.sh: generated tests: runs per second, and --pick map against covcon and random on the
# classes of tests/gen: runs with threads and seconds to the first failure, geometric means of the
# ratios with 95 % intervals; and Kendall's correlation between pattern coverage and bugs found.
#   HEDDLE=path/to/heddle bench/gen.sh [CLASS...]
# Environment: SEEDS ("1 2"; "" = no comparison), TIME (30), SUBSETS (50), RATE_RUNS (3000; 0 = not measured).
set -u
HEDDLE=${HEDDLE:?set HEDDLE to the heddle command}
ROOT=$(cd "$(dirname "$0")/.." && pwd)
SEEDS=${SEEDS-1 2} TIME=${TIME:-30} SUBSETS=${SUBSETS:-50} RATE_RUNS=${RATE_RUNS:-3000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
[ $# -gt 0 ] || set -- $(cd "$ROOT/tests/gen" && ls c/*.h cxx/*.hpp | sed 's,.*/,,; s,\..*,,')

header() { ls "$ROOT"/tests/gen/c/"$1".h "$ROOT"/tests/gen/cxx/"$1".hpp 2>/dev/null; }
source_of() { ls "$ROOT"/tests/gen/c/"$1".c 2>/dev/null; }
field() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" out.json | head -1; }
gen() { # gen CLASS OPTIONS... [-- FLAGS]
    local name=$1
    shift
    rm -rf out.json .heddle # each call begins anew
    "$HEDDLE" gen -q --no-confirm --json out.json --header "$(header "$name")" "$@" $(source_of "$name") >/dev/null 2>&1
}

echo "runs per second (corrected twins, $RATE_RUNS runs with threads; all processor time of heddle and its children counts)"
[ "$RATE_RUNS" -gt 0 ] && for name in counter ring hashmap stack; do
    [ -n "$(header "$name")" ] || continue
    before=$(awk '{ print $16 + $17 }' /proc/$$/stat)
    gen "$name" --seed 1 --runs "$RATE_RUNS" -- -DFIXED
    after=$(awk '{ print $16 + $17 }' /proc/$$/stat)
    awk -v n="$name" -v runs="$(($(field runs) + $(field order_runs)))" -v ticks="$((after - before))" -v hz="$(getconf CLK_TCK)" \
        -v wall="$(field seconds)" 'BEGIN { printf "  %-10s %6.0f per second of processor time, %6.0f per second\n", n, runs / (ticks / hz), runs / wall }'
done

compare() {
    echo "to the first failure: runs with threads, seconds"
    for name in "$@"; do
        for seed in $SEEDS; do
            for pick in map covcon random; do
                gen "$name" --pick "$pick" --seed "$seed" --time "$TIME" --
                if [ "$(field findings)" = 1 ]; then
                    echo "$name $seed $pick $(field found_runs) $(field found_seconds) 1"
                else # counted as if it came right then
                    echo "$name $seed $pick $(field runs) $(field seconds) 0"
                fi
            done
        done
    done | tee table | awk '{ printf "  %-10s seed %s %-7s %6d runs %6.1f s%s\n", $1, $2, $3, $4, $5, $6 ? "" : "  not found" }'

    awk '
    { runs[$1, $2, $3] = $4 > 0 ? $4 : 1; s[$1, $2, $3] = $5; found[$3] += $6; all[$3]++; seen[$1, $2] = 1 }
    function ratio(what, other,   k, n, sum, sq, x, m, sd, part) {
        for (k in seen) {
            split(k, part, SUBSEP)
            x = what == "runs" ? log(runs[part[1], part[2], other] / runs[part[1], part[2], "map"]) : log(s[part[1], part[2], other] / s[part[1], part[2], "map"])
            sum += x; sq += x * x; n++
        }
        m = sum / n
        sd = n > 1 ? sqrt((sq - n * m * m) / (n - 1) / n) : 0
        printf "  %s: map needs 1/%.2f of %s (95 %%: %.2f to %.2f, n %d)\n", what, exp(m), other, exp(m - 1.96 * sd), exp(m + 1.96 * sd), n
    }
    END {
        for (p in all) printf "  %-7s found %d of %d\n", p, found[p], all[p]
        ratio("runs", "covcon"); ratio("runs", "random"); ratio("seconds", "covcon"); ratio("seconds", "random")
    }' table
}
[ -z "$SEEDS" ] || compare "$@"

[ "$SUBSETS" -gt 0 ] || exit 0
echo "Kendall: $SUBSETS campaigns of random classes and lengths"
RANDOM=7
classes=("$@")
for ((i = 0; i < SUBSETS; i++)); do
    name=${classes[RANDOM % ${#classes[@]}]}
    gen "$name" --seed $((100 + i)) --runs $((8 << RANDOM % 5)) --
    echo "$name $(field patterns_covered) $(field found_runs) $(field findings)"
done >subsets
# Coverage as a share of the most that any campaign of the class reached.
awk '
NR == FNR { if ($2 > most[$1]) most[$1] = $2; next }
{ c[++n] = most[$1] ? $2 / most[$1] : 0; f[n] = $4 }
END {
    for (i = 1; i <= n; i++) for (k = i + 1; k <= n; k++) {
        a = c[i] - c[k]; b = f[i] - f[k]
        if (a * b > 0) up++; else if (a * b < 0) down++
        if (a) na++; if (b) nb++
    }
    printf "  tau-b between coverage and bugs found: %.2f\n", na && nb ? (up - down) / sqrt(na * nb) : 0
}' subsets subsets
