#!/usr/bin/env bash
# Maple (OOPSLA 2012), section 6.4.2: why attempts fail. The paper names three causes without their shares: orders of the
# user's own that make a candidate infeasible, pre-conditions, and the arbitration between instances. Here, of the candidates that the
# paper's scheduler (strategy `maple`, at most two attempts) gave up:
#   infeasible     not shown by a search of all interleavings (dpor), and that search came to its end
#   not shown      the same, but the search was stopped after RUNS (3000) runs and as many by chance
#   arbitration    shown by the same scheduler if it may try ten times as often: other instances were drawn
#   pre-condition  shown by the search or by chance, never by that scheduler
#   by default     of the last two: shown by the default (recorded runs lead there, instances are known)
# A compound candidate counts where it belongs itself, not by its parts. sqlite3 is needed.
#   maple_causes.sh [all]     all: also the programs of tests/target/correct
. "$(dirname "$0")/lib.bash"
RUNS=${RUNS_EACH:-3000}
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
key='e.sub || " " || a.offset || " " || b.offset || " " || c.offset || " " || d.offset'
sites='JOIN site a ON a.id = e.s0 JOIN site b ON b.id = e.s1 JOIN site c ON c.id = e.s2 JOIN site d ON d.id = e.s3'
failed() { sqlite3 "$1/store.db" "SELECT $key FROM candidate k JOIN element e ON e.id = k.element $sites WHERE k.state = 2" | sort -u; }
seen() { sqlite3 "$1/store.db" "SELECT DISTINCT $key FROM seen s JOIN element e ON e.id = s.element $sites" | sort -u; }
more() { # more DIR OPTION...: a campaign into that folder
    local into=$1
    shift
    "$HEDDLE" test -q --no-minimize --keep-going --coverage iroot --seed 1 --dir "$into" --json r.json --runs "$RUNS" \
        --time "${LIMIT}s" ${options[@]+"${options[@]}"} "$@" >/dev/null 2>log </dev/null
    case $? in 0 | 66 | 98) stop_if_interrupted r.json ;; *) tail -n 1 log >&2; return 1 ;; esac
}
causes() { # causes ROW PROGRAM [ARG...]
    local row=$1 is_complete
    shift
    rm -rf first search many ours
    more first --strategy maple -- "$@" && failed first >gone || return
    [ -s gone ] || { put "$row" failed 0; return; }
    more search --strategy dpor -- "$@" || return
    is_complete=$(jq '.search.complete' r.json)
    seen search >all
    more many --strategy random -- "$@" && seen many >>all
    rm -rf many
    more many --strategy maple --tries 20 --tries-all 60 -- "$@" && seen many >by_many
    more ours -- "$@" && seen ours >by_ours
    sort -u all by_many by_ours -o all
    comm -23 gone all >never
    put "$row" infeasible "$([ "$is_complete" = true ] && wc -l <never || echo 0)"
    put "$row" "not shown" "$([ "$is_complete" = true ] && echo 0 || wc -l <never)"
    comm -12 gone all >feasible
    put "$row" arbitration "$(comm -12 feasible by_many | wc -l)"
    put "$row" pre-condition "$(comm -23 feasible by_many | wc -l)"
    put "$row" "by default" "$(comm -12 feasible by_ours | wc -l)"
    put "$row" failed "$(wc -l <gone)" # last: this row is complete
}
files=("$ROOT"/tests/target/buggy/{log_sweep,string_buffer,circular_list,bank,log_miss,compress_shutdown,log_rotate,download_resume,cache_increment}.c
    "$papers"/{extracted,maple}/*.c "$ROOT"/tests/target/idiom/*.c)
[ "${1:-}" != all ] || files+=("$ROOT"/tests/target/correct/*.c)
for f in "${files[@]}"; do
    p=$(basename "$f" .c)
    has "$p" failed && continue
    build "$f" "$p" 2>/dev/null || continue
    read -ra args <<<"$(header "$f" args)"
    read -ra options <<<"$(header "$f" options)"
    causes "$p" "./$p" ${args[@]+"${args[@]}"}
done
awk -F '\t' '{ s[$2] += $3 } END { for (k in s) printf "%s: %d (%.0f %%)\n", k, s[k], 100 * s[k] / s["failed"] }' "$cells" | sort
awk -F '\t' '$2 != "failed" || $3 > 0' "$cells" >"$tmp/drawn"
cells=$tmp/drawn
finish "Maple, 6.4.2: why attempts fail" "candidates"
