#!/usr/bin/env bash
# HaPSet (ICSE 2011), section 6.1: what a run of a search costs. Milliseconds of processor time of a run (all
# processes; the programs that may hang by themselves are left out), RUNS_EACH (400) runs that do not stop at a finding: of the program by itself, not instrumented
# and spawned each time, and under dpor, hapset (which learns and guides) and pcb=2.
. "$(dirname "$0")/lib.bash"
: "${RUNS_EACH:=400}"
echo "paper: 10 to 100 times native; thrift with 2 workers 2.0 s a run under HaPSet, 0.8 s under DPOR"
TIMEFORMAT='%U %S'
each() { # each COUNT COMMAND...: milliseconds a run, of all processes
    local n=$1
    shift
    { time "$@" >/dev/null 2>&1 </dev/null; } 2>&1 | awk -v n="$n" '{ printf "%.3f\n", 1000 * ($1 + $2) / n }'
}
alone() { for ((i = 0; i < RUNS_EACH; i++)); do "$@"; done; }
search() { # search METHOD COMMAND...
    local how=$1
    shift
    rm -rf dir
    "$HEDDLE" test -q --keep-going --no-minimize --coverage none --learn 0 --fresh --seed 1 --dir dir --json r.json \
        --runs "$RUNS_EACH" --time 120s --strategy "$how" -- "$@"
}
for row in "downloader $ROOT/bench/programs/downloader.c 3" "compressor $papers/programs/compressor.c late"; do
    read -r p file args <<<"$row"
    build "$file" "$p" && gcc -O1 -pthread -o "$p-native" "$file" || continue
    cell "$p" native each "$RUNS_EACH" alone "./$p-native" $args
    for how in dpor hapset pcb=2; do
        has "$p" "$how" && continue
        ms=$(each 1 search "$how" "./$p" $args)
        put "$p" "$how" "$(jq -r --argjson ms "$ms" '1000 * $ms / .runs | round / 1000' r.json)"
    done
done
finish "HaPSet, 6.1: processor time of a run" "milliseconds"
