#!/usr/bin/env bash
# replays.sh: recorded runs replayed under changed surroundings: each target program is
# recorded under several strategies, each record replayed in turn with another environment,
# stack limit, mode mask, folder, terminal, and beside a load.
#
#   HEDDLE=path/to/heddle tests/long/replays.sh [FOLDER|FILE ...]
#
# Environment: REPLAYS (20000 in all, at least), JOBS (2), RECORDS (strategies), KEEP=1.
# A replay that leaves its schedule fails the test, unless the message names a true cause that
# the program's header states (` * depends: PATTERN`). Ends with "N passed, N failed"; one is
# a replay.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/../target
: "${HEDDLE:=$here/../../build/bin/heddle}" "${JOBS:=2}" "${REPLAYS:=20000}"
: "${RECORDS:=random pct pos surw}"
HEDDLE=$(realpath "$HEDDLE")
[ $# -gt 0 ] || set -- "$target"/correct "$target"/buggy "$target"/heap
WORK=$(mktemp -d)
[ -n "${KEEP:-}" ] || trap 'rm -rf "$WORK"' EXIT
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
export HEDDLE WORK RECORDS
export -f header

mapfile -t files < <(for a in "$@"; do [ -d "$a" ] && ls "$a"/*.c "$a"/*.cc 2>/dev/null || echo "$a"; done)
set -- $RECORDS
ways=8
# So many times under each way.
TIMES=$(((REPLAYS + ${#files[@]} * $# * ways - 1) / (${#files[@]} * $# * ways)))
export TIMES

# way NUMBER COMMAND...: runs it in surroundings of that number
way() {
    local n=$1
    shift
    case $n in
    0) "$@" ;;
    1) env -i PATH="$PATH" "$@" ;;
    2) env "BIG=$(head -c 50000 /dev/zero | tr '\0' x)" LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$@" ;;
    3) (ulimit -Ss 512 && "$@") ;;
    4) (ulimit -Ss unlimited && umask 0 && "$@") ;;
    5) (cd / && "$@") ;;
    6) script -qec "$(printf '%q ' "$@")" /dev/null </dev/null ;;
    7) (for i in 1 2; do bash -c 'while ((SECONDS < 30)); do :; done' & done
        trap 'kill $(jobs -p) 2>/dev/null' EXIT
        nice -n 3 "$@") ;;
    esac
}
export -f way

one() {
    local file=$1 dir s w code prog build library args opts same=0 bad=0 depends
    dir=$WORK/$(basename "$(dirname "$file")").$(basename "$file")
    mkdir -p "$dir" && prog=$dir/prog
    build=$(header "$file" build) library=$(header "$file" library) depends=$(header "$file" depends)
    read -ra args <<<"$(header "$file" args)"
    read -ra opts <<<"$(header "$file" options)"
    [ -z "$library" ] || $library -o "$prog.so" "$file" 2>/dev/null
    $build -o "$prog" "$file" 2>"$dir/log" || { echo "FAIL $file: does not build"; return; }
    for s in $RECORDS; do
        (cd "$dir" && "$HEDDLE" run --strategy "$s" --seed 7 --coverage none --dir "$dir/$s" \
            ${opts[@]+"${opts[@]}"} -- "$prog" ${args[@]+"${args[@]}"} >"$dir/log" 2>&1 </dev/null)
        code=$?
        case $code in 0 | 66 | 98) ;; *) echo "FAIL $file: recording under $s gave $code"; tail -n 3 "$dir/log"; bad=$((bad + TIMES * 8)); continue ;; esac
        for w in 0 1 2 3 4 5 6 7; do
            way "$w" "$HEDDLE" replay --times "$TIMES" "$dir/$s/last.heddle" >"$dir/log" 2>&1
            if grep -q "as recorded, $TIMES of $TIMES" "$dir/log"; then
                same=$((same + TIMES))
            elif [ -n "$depends" ] && grep -q "$depends" "$dir/log"; then
                echo "named $file: $depends"
                same=$((same + TIMES))
            else
                echo "FAIL $file ($s, way $w): $(grep -a '^heddle' "$dir/log" | tr '\n' ' ' | cut -c1-400)"
                bad=$((bad + TIMES))
            fi
        done
    done
    echo "count $same $bad"
    [ -n "${KEEP:-}" ] || rm -rf "$dir"
}
export -f one
printf '%s\n' "${files[@]}" | xargs -P "$JOBS" -I{} bash -c 'one "$1"' - {} | tee "$WORK/all" | grep -v '^count'
awk -v n="${#files[@]}" '$1 == "count" { p += $2; f += $3 }
    END { printf "%d programs\n%d passed, %d failed\n", n, p, f; exit f > 0 }' "$WORK/all"
