#!/usr/bin/env bash
# Maple (OOPSLA 2012), section 2.2 and table 1: which idiom a bug is of. The iRoot of a bug is the smallest set of orders
# that shows it: here one that every failing run had and no passing run, and of several the one of the
# lowest idiom. SEEDS (20) campaigns by chance, each up to its first failure; iRoots of the failing run by replay, of
# passing ones by their coverage. "-": no iRoot is in all failing runs alone; then "% of failures" is the
# largest share of the failing runs that one has which no passing run had, and its idiom.
#   maple_idioms.sh [all]     all: every program of tests/target/buggy
. "$(dirname "$0")/lib.bash"
: "${SEEDS:=20}"
RUNS=400
paper "idiom" log_sweep=1 string_buffer=1 circular_list=3 bank=1 log_miss=4 compress_shutdown=1 buffered_log=1 \
    log_rotate=1 download_resume=4 cache_increment=- signal_thread=1 collections=1 arena=1
key='"\(.sub) \(.sites | map(.site) | join(" "))"'
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
idiom() { # idiom ROW PROGRAM [ARG...]
    local row=$1 n=0
    shift
    : >failing && : >passing
    for ((seed = 1; seed <= SEEDS; seed++)); do
        campaign --strategy random --coverage iroot ${options[@]+"${options[@]}"} -- "$@" || continue
        local last file
        last=$(jq '(.findings[0].runs_until // 1000000) - 1' r.json)
        "$HEDDLE" coverage -q --dir dir --list iroot --json - 2>log |
            jq -r --argjson last "$last" ".elements[] | select(.first_run < \$last) | $key" >>passing
        file=$(ls dir/findings/*/replay.heddle 2>/dev/null | head -n 1)
        [ -n "$file" ] || continue
        "$HEDDLE" replay -q --coverage iroot --json f.json "$file" >log 2>&1
        jq -r ".coverage.elements[]? | $key" f.json | sort -u >>failing
        n=$((n + 1))
    done
    sort -u passing -o passing
    [ "$n" -gt 0 ] || { put "$row" idiom -; return; }
    # the lowest idiom in all failing runs alone; else the one with the largest share
    sort failing | uniq -c | sed 's/^ *//' | awk -v n="$n" 'NR == FNR { met[$0]; next }
        { k = $0; c = $1; sub(/^[0-9]+ /, "", k); split(k, part, " ")
          if (k in met) next
          if (c > most || (c == most && part[1] < low)) { most = c; low = part[1] } }
        END { printf "%s\t%d\n", most == n ? low : "-", n ? 100 * most / n : 0; print low > "low" }' passing - >result
    put "$row" idiom "$(cut -f 1 result)"
    put "$row" "% of failures" "$(cut -f 2 result)"
    [ "$(cut -f 1 result)" != - ] || put "$row" "largest share" "$(cat low)"
}
files=("$ROOT"/tests/target/buggy/{log_sweep,string_buffer,circular_list,bank,log_miss,compress_shutdown,log_rotate,download_resume,cache_increment}.c
    "$papers"/maple/*.c)
[ "${1:-}" != all ] || files=("$ROOT"/tests/target/buggy/*.c* "$papers"/maple/*.c)
for f in "${files[@]}"; do
    p=$(basename "$f")
    p=${p%.*}
    has "$p" idiom && continue
    build "$f" "$p" || continue
    read -ra args <<<"$(header "$f" args)"
    read -ra options <<<"$(header "$f" options)"
    idiom "$p" "./$p" ${args[@]+"${args[@]}"}
done
awk -F '\t' '$2 == "idiom" { n[$3]++; all++ } END { for (i in n) printf "idiom %s: %d of %d programs\n", i, n[i], all }' "$cells" | sort
awk -F '\t' -f "$papers/table.awk" "$cells"
awk -F '\t' '$2 !~ /%|share/' "$cells" >"$tmp/drawn" # percent are another unit
cells=$tmp/drawn
finish "Maple, 2.2: idioms of bugs" "number of the idiom; -: none"
