#!/usr/bin/env bash
# Maple (OOPSLA 2012), tables 2 and 3: runs to known bugs with a triggering input, against PCT
# and PCTLarge, and with the memory of a campaign that stopped before the bug. Rows are the
# programs of tests/target/buggy that have the paper's bug; the paper's figures are profile runs
# plus active ones.
. "$(dirname "$0")/lib.bash"
paper Maple log_sweep=12 string_buffer=9 circular_list=7 bank=7 log_miss=108 compress_shutdown=10 \
    log_rotate=3985 download_resume=20 cache_increment=45
paper PCT log_sweep=- string_buffer=40 circular_list=6 bank=12 log_miss=18 compress_shutdown=- \
    log_rotate=- download_resume=152 cache_increment=1010
paper PCTLarge log_sweep=10169 string_buffer=61 circular_list=18 bank=44 log_miss=15 compress_shutdown=3336 \
    log_rotate=10574 download_resume=335 cache_increment=306
middle() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
seeds() { # seeds OPTION... -- PROGRAM: median of five
    for seed in 1 2 3 4 5; do runs_to_bug "$@"; done | middle
}
# A campaign of three runs first; then the same store.
remembered() {
    for seed in 1 2 3 4 5; do
        rm -rf kept
        "$HEDDLE" test -q --no-minimize --seed 99 --dir kept --runs 3 --strategy stay -- "$1" >/dev/null 2>&1 </dev/null
        "$HEDDLE" test -q --no-minimize --seed "$seed" --dir kept --json r.json --runs "$RUNS" \
            --time "${LIMIT}s" -- "$1" >/dev/null 2>&1 </dev/null
        jq -r '.findings[0].runs_until // "-"' r.json
    done | middle
}
for p in log_sweep string_buffer circular_list bank log_miss compress_shutdown log_rotate download_resume cache_increment; do
    build "$ROOT/tests/target/buggy/$p.c" "$p" || continue
    cell "$p" default seeds -- "./$p"
    cell "$p" "with memory" remembered "./$p"
    cell "$p" pct=3 seeds --coverage none --strategy pct=3 -- "./$p"
    cell "$p" pctlarge seeds --coverage none --strategy pctlarge -- "./$p"
done
finish "Maple, tables 2 and 3: runs to known bugs" "runs, median of 5 seeds"
