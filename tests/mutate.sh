#!/bin/bash
# mutate.sh: do the unit tests notice when the code is wrong? Each row of mutants.tsv
# changes one place (\n: a new line); a test that fails (or hangs) kills the mutant.
#
#   tests/mutate.sh [WORD]     only rows that contain WORD
#   tests/mutate.sh --apply    does each row still apply? Compiles nothing
#
# Prints a line for each mutant that survives, and "N of M killed (P %)". Fails below 90 %, and if
# a row does not apply any more (STALE) or its mutant does not compile (BROKEN). Needs a build. Environment: BUILD (build), LIMIT (seconds for one test, 60).
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${BUILD:=$root/build}" "${LIMIT:=60}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
libs=$(pkg-config --libs libdw libelf sqlite3 capstone cmocka) || exit 99
flags="-O1 -w -D_GNU_SOURCE -std=gnu17 -I$tmp/src -I$root/src -I$root/include -I$root/tests"

# survives UNIT TEST: the test passes with the object of the mutant in place of the unit
survives() {
    local objects=() o from=$BUILD/tests/CMakeFiles/$2.dir
    [ -d "$from" ] || from=$BUILD/tests/CMakeFiles/hd_tests.dir # most are one program, which goes by its name
    while read -r o; do
        [ "$(basename "$o")" = "$(basename "$1").o" ] || objects+=("$o")
    done < <(find "$from" -name '*.o')
    # shellcheck disable=SC2086
    gcc -o "$tmp/$2" "${objects[@]}" "$tmp/mutant.o" "$BUILD"/libhd_cli.a "$BUILD"/libhd_host.a \
        "$BUILD"/libhd_pure.a $libs -lstdc++ -lm || exit 99
    (cd "$tmp" && timeout "$LIMIT" "./$2" >/dev/null 2>&1)
}

apply=
[ "${1-}" != --apply ] || { apply=1; shift; }
all=0 killed=0 bad=0
while IFS=$'\t' read -r file unit tests from to; do
    case $file in '' | '#'*) continue ;; esac
    [[ "$file $from" == *"${1-}"* ]] || continue
    all=$((all + 1))
    from=${from//'\n'/$'\n'} to=${to//'\n'/$'\n'}
    text=$(cat "$root/src/$file"; echo .)
    changed=${text/"$from"/"$to"}
    if [ "$text" = "$changed" ]; then
        echo "STALE     $file: no such place: $from"
        bad=$((bad + 1))
        continue
    fi
    [ -z "$apply" ] || { killed=$all; continue; }
    rm -rf "$tmp/src"
    mkdir -p "$tmp/src/$(dirname "$file")"
    printf '%s' "${changed%.}" >"$tmp/src/$file"
    [ "$unit" = - ] && unit=$file
    source=$root/src/$unit
    [ "$unit" = "$file" ] && source=$tmp/src/$file
    # shellcheck disable=SC2086
    if ! gcc $flags -c -o "$tmp/mutant.o" "$source"; then
        echo "BROKEN    $file: $from -> $to"
        bad=$((bad + 1))
        continue
    fi
    is_killed=
    for t in $tests; do
        survives "$unit" "$t" || { is_killed=1; break; }
    done
    if [ "$is_killed" ]; then
        killed=$((killed + 1))
    else
        echo "SURVIVES  $file: $from -> $to"
    fi
done <"$root/tests/mutants.tsv"
[ "$apply" ] || echo "$killed of $all killed ($((all ? killed * 100 / all : 0)) %)"
[ $bad -eq 0 ] || echo "$bad rows of mutants.tsv do not apply"
[ $bad -eq 0 ] && [ $((killed * 100)) -ge $((all * 90)) ]
