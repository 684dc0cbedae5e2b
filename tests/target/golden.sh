#!/bin/bash
# golden.sh: does each program of buggy/ get the report it should?
#
#   HEDDLE=path/to/heddle tests/target/golden.sh [--update] [NAME ...]
#
# Found with a fixed seed, minimized, and what a reader sees compared with
# tests/golden/NAME.txt: sentence, evidence, order of steps. Left out is what may
# change: the finding's number, addresses, commands, figures of the search, lines of
# system headers, descriptors (they depend on those inherited). The pair that decides
# must be one that the header names. A line for each program that differs, with the
# difference; then "N passed, N failed". --update writes the files instead: read them
# before you commit them.
#
# Environment: TIME (for each program, 30s), JOBS (2), SEED (1).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${JOBS:=2}" "${SEED:=1}" "${TIME:=30s}" "${UPDATE:=}"
case $HEDDLE in /*) ;; *) HEDDLE=$PWD/$HEDDLE ;; esac
export HEDDLE SEED TIME UPDATE
. "$here/pair.bash"

# What stays the same from run to run and from machine to machine.
stable() {
    sed -E -e '/^Do it again$/,$d' -e 's/^(FINDING [a-z-]+)-[0-9a-f]+$/\1/' \
        -e 's/descriptor [0-9]+/descriptor N/g' -e 's/0x[0-9a-f]+/0x*/g' -e 's/\b([a-z_+-]+\.h):[0-9]+/\1:N/g' \
        -e 's/\b[0-9]+ of them with a choice, in [0-9.]+ s/N of them with a choice, in N s/'
}

one() {
    local file=$1 name golden tmp s status=0 build args opts
    name=$(basename "$file")
    golden=$here/../golden/$name.txt
    tmp=$WORK/$name.d
    mkdir -p "$tmp"
    cd "$(dirname "$file")" || return
    build=$(header "$file" build)
    read -ra args <<<"$(header "$file" args)"
    read -ra opts <<<"$(header "$file" options)"
    $build -o "$tmp/prog" "$name" 2>"$tmp/build.log" || { echo "FAIL  $name: does not build"; return; }
    for s in $(header "$file" strategy | tr ',' ' '); do
        rm -rf "$tmp/dir"
        "$HEDDLE" test --strategy "$s" --runs "$(header "$file" budget | cut -d' ' -f1)" \
            --seed "$SEED" --no-minimize --dir "$tmp/dir" -q ${opts[@]+"${opts[@]}"} \
            -- "$tmp/prog" ${args[@]+"${args[@]}"} >"$tmp/out" 2>"$tmp/err" </dev/null
        status=$?
        [ $status -eq 0 ] || break
    done
    [ $status -eq 66 ] || { echo "FAIL  $name: not found: exit $status"; return; }
    "$HEDDLE" minimize --time "$TIME" --json "$tmp/small.json" \
        "$tmp/dir/findings/latest/replay.heddle" >"$tmp/report" 2>"$tmp/said" </dev/null ||
        [ $? -eq 66 ] || { echo "FAIL  $name: $(tail -n 1 "$tmp/said")"; return; }
    stable <"$tmp/report" >"$tmp/stable"
    if [ -n "$UPDATE" ]; then
        cp "$tmp/stable" "$golden"
    elif ! diff -u "$golden" "$tmp/stable" >"$tmp/diff" 2>&1; then
        echo "FAIL  $name: another report"
        sed 's/^/      /' "$tmp/diff"
        return
    fi
    pair_fits "$file" "$tmp/small.json" ||
        { echo "FAIL  $name: decided by $(pairs_told "$tmp/small.json" | tr '\n' ' ')," \
               "the header names $(pairs_named "$file" | tr '\n' ' ')"; return; }
    echo "ok    $name"
}

if [ "${1:-}" = --one ]; then
    one "$2" >"$WORK/$(basename "$2").said"
    cat "$WORK/$(basename "$2").said"
    exit 0
fi
[ "${1:-}" != --update ] || { UPDATE=1; shift; }
[ -x "$HEDDLE" ] || { echo "golden.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
files=()
[ $# -gt 0 ] || set -- '*'
for what; do
    for f in "$here"/buggy/$what.c "$here"/buggy/$what.cc; do [ ! -f "$f" ] || files+=("$f"); done
done
[ ${#files[@]} -gt 0 ] || { echo "golden.sh: no such program" >&2; exit 64; }
WORK=$(mktemp -d)
export WORK
trap 'rm -rf "$WORK"' EXIT
printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one | tee "$WORK/summary" | grep -v '^ok'
passed=$(grep -c '^ok' "$WORK/summary")
echo "$passed passed, $((${#files[@]} - passed)) failed"
[ "$passed" -eq ${#files[@]} ]
