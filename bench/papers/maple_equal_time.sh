#!/usr/bin/env bash
# Maple (OOPSLA 2012), figures 11 and 12: iRoots covered in equal time (SECONDS_EACH, 5) and by an equal number
# of runs (RUNS_EACH, 100), by the default, PCT, PCTLarge, delays by chance (RandDelay), a plain random walk and
# CHESS (bound 2). The observer is the same for all. Rows: the programs of the paper's bugs, classes with locks, and
# a downloader, compressor and scanner. The bound is part of the name: "log_sweep, runs", "log_sweep, time".
# Usage: maple_equal_time.sh [runs|time]...
. "$(dirname "$0")/lib.bash"
: "${SECONDS_EACH:=5}" "${RUNS_EACH:=100}"
echo "paper: Maple covers about 15 % more than the second best (PCTLarge), CHESS about 60 % of Maple"
covers() { # covers runs|time STRATEGY COMMAND...
    local by=$1 how=$2 limit
    shift 2
    [ "$by" = runs ] && limit="--runs $RUNS_EACH --time 120s" || limit="--time ${SECONDS_EACH}s"
    rm -rf dir r.json
    [ "$how" = default ] && how= || how="--strategy $how"
    "$HEDDLE" test -q --keep-going --no-minimize --seed 1 --coverage iroot --dir dir --json r.json $how $limit -- "$@" \
        >/dev/null 2>log </dev/null
    jq -r '.coverage.metrics[] | select(.name == "iroot").covered' r.json
}
[ $# -gt 0 ] || set -- runs time
for by; do
    for f in "$ROOT"/tests/target/buggy/{log_sweep,string_buffer,circular_list,bank,log_miss,compress_shutdown,log_rotate,download_resume,cache_increment}.c \
        "$ROOT"/bench/programs/tsa/*.c "$ROOT"/bench/programs/downloader.c "$papers"/programs/*.c; do
        p=$(basename "$f" .c)
        build "$f" "$p" || continue
        for how in default pct=3 pctlarge delay random chess=2; do
            cell "$p, $by" "$how" covers "$by" "$how" "./$p"
        done
    done
done
awk -F '\t' '{ split($1, a, ", "); v[$1, $2] = $3; row[$1] = a[2]; col[$2] }
END {
    for (c in col) if (c != "default")
        for (r in row) if (v[r, "default"] > 0 && v[r, c] > 0) { s[c, row[r]] += log(v[r, c] / v[r, "default"]); n[c, row[r]]++ }
    for (k in n) { split(k, a, SUBSEP); printf "%s, by %s: %.0f %% of the default (geometric mean of %d)\n", a[1], a[2], 100 * exp(s[k] / n[k]), n[k] }
}' "$cells" | sort
finish "Maple, figures 11 and 12: iRoots covered" "iRoots in $RUNS_EACH runs or $SECONDS_EACH s"
