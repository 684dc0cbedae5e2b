#!/usr/bin/env bash
# Maple (OOPSLA 2012), tables 2 and 3: runs to known bugs with a triggering input, against PCT
# and PCTLarge, and with the memory of a campaign that stopped before the bug. Rows are the
# programs of tests/target/buggy that have the paper's bug, and those of maple/ (its bugs 7, 11, 12 and 13, the last two
# of the same kind only); the paper's figures are profile runs plus active ones. The last columns, of one campaign: how many runs were the profile's (all, if the bug showed
# there), threads, and milliseconds of the program by itself (by the clock; up to 5 s if it hangs).
. "$(dirname "$0")/lib.bash"
paper Maple log_sweep=12 string_buffer=9 circular_list=7 bank=7 log_miss=108 compress_shutdown=10 \
    log_rotate=3985 download_resume=20 cache_increment=45 buffered_log=129 signal_thread=27 collections=409 arena=50
paper PCT log_sweep=- string_buffer=40 circular_list=6 bank=12 log_miss=18 compress_shutdown=- \
    log_rotate=- download_resume=152 cache_increment=1010 buffered_log=3485 signal_thread=- collections=- arena=-
paper PCTLarge log_sweep=10169 string_buffer=61 circular_list=18 bank=44 log_miss=15 compress_shutdown=3336 \
    log_rotate=10574 download_resume=335 cache_increment=306 buffered_log=- signal_thread=- collections=10012 arena=16147
middle() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
seeds() { # seeds OPTION... -- PROGRAM: median of five
    for seed in 1 2 3 4 5; do runs_to_bug "$@"; done | middle
}
# A campaign of three runs first; then the same store.
remembered() {
    for seed in 1 2 3 4 5; do
        rm -rf kept r.json
        "$HEDDLE" test -q --no-minimize --seed 99 --dir kept --runs 3 --strategy stay -- "$1" >/dev/null 2>&1 </dev/null
        "$HEDDLE" test -q --no-minimize --seed "$seed" --dir kept --json r.json --runs "$RUNS" \
            --time "${LIMIT}s" -- "$1" >/dev/null 2>&1 </dev/null
        stop_if_interrupted r.json
        jq -r '.findings[0].runs_until // "-"' r.json
    done | middle
}
# Table 3: first a whole campaign under an input that does not show the bug, then the input that does.
other_input() {
    for seed in 1 2 3 4 5; do
        rm -rf kept r.json
        "$HEDDLE" test -q --no-minimize --seed 99 --dir kept --runs 300 --time "${LIMIT}s" -- "$1" other >/dev/null 2>&1 </dev/null
        [ $? != 66 ] || { echo "$name: $1 fails under the other input" >&2; continue; }
        "$HEDDLE" test -q --no-minimize --seed "$seed" --dir kept --json r.json --runs "$RUNS" \
            --time "${LIMIT}s" -- "$1" >/dev/null 2>&1 </dev/null
        stop_if_interrupted r.json
        jq -r '.findings[0].runs_until // "-"' r.json
    done | middle
}
for p in log_sweep string_buffer circular_list bank log_miss compress_shutdown log_rotate download_resume cache_increment \
    buffered_log signal_thread collections arena; do
    file=$ROOT/tests/target/buggy/$p.c
    [ -e "$file" ] || file=$papers/maple/$p.c
    build "$file" "$p" || continue
    cell "$p" default seeds -- "./$p"
    cell "$p" "with memory" remembered "./$p"
    [ "${file%/maple/*}" = "$file" ] || cell "$p" "other input" other_input "./$p"
    cell "$p" pct=3 seeds --coverage none --strategy pct=3 -- "./$p"
    cell "$p" pctlarge seeds --coverage none --strategy pctlarge -- "./$p"
    if ! has "$p" "profile runs" && seed=1 campaign -- "./$p"; then # of the campaign of seed 1
        jq -r '"profile runs\t\(.drive.profile_runs)", "threads\t\(.threads)"' r.json | sed "s/^/$p	/" >"$tmp/more"
        gcc -O1 -pthread -o native "$file"
        printf '%s\tms native\t%s\n' "$p" "$({ TIMEFORMAT=%R; time timeout 5 ./native >/dev/null 2>&1; } 2>&1 | tail -n 1 | awk '{ print 1000 * $1 }')" >>"$tmp/more"
        cat "$tmp/more" >>"$cells"
    fi
done
awk -F '\t' '$2 !~ /profile runs|threads|ms native/' "$cells" >"$tmp/drawn"
awk -F '\t' -f "$papers/table.awk" "$cells"
cells=$tmp/drawn
finish "Maple, tables 2 and 3: runs to known bugs" "runs, median of 5 seeds"
