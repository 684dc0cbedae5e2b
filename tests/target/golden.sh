#!/bin/bash
# golden.sh: does each program of buggy/ and cxx/ get the report it should?
#
#   HEDDLE=path/to/heddle tests/target/golden.sh [--update] [--all] [NAME ...]
#
# Without names: all of buggy/ and some of cxx/; with --all: all of both.
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
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${JOBS:=2}" "${SEED:=1}" "${TIME:=30s}" "${UPDATE:=}"
case $HEDDLE in /*) ;; *) HEDDLE=$PWD/$HEDDLE ;; esac
export HEDDLE SEED TIME UPDATE
. "$here/pair.bash"

# Those of the C++ library without a suffix.
HEADERS='atomic|barrier|condition_variable|functional|future|latch|memory|mutex|optional|semaphore'
HEADERS+='|shared_mutex|stop_token|thread'

# What stays the same from run to run and from machine to machine.
stable() {
    sed -E -e '/^Do it again$/,$d' -e 's/^(FINDING [a-z-]+)-[0-9a-f]{8}( .*)?$/\1\2/' \
        -e 's/descriptor [0-9]+/descriptor N/g' -e 's/0x([1-9a-f][0-9a-f]*|0[0-9a-f]+)/0x*/g' -e 's/\b([a-z_+-]+\.h):[0-9]+/\1:N/g' \
        -e 's/__(mem|str)[a-z]+_(avx|sse|evex|erms|ssse)[a-z0-9_]* .*/__\1.. of libc/' \
        -e "s/\\b($HEADERS|[a-z_+-]+\\.tcc):[0-9]+/\\1:N/g" \
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
    ! tr '\n' ' ' <"$tmp/report" | grep -Eq 'suppress: +the +line +(race|deadlock|mutex)|:\^(main|operator)|\{lambda\}\$' ||
        { echo "FAIL  $name: offers a wide suppression"; return; }
    stable <"$tmp/report" >"$tmp/stable"
    if [ -n "$UPDATE" ]; then
        cp "$tmp/stable" "$golden"
    elif ! diff -u "$golden" "$tmp/stable" >"$tmp/diff" 2>&1; then
        echo "FAIL  $name: another report"
        sed 's/^/      /' "$tmp/diff"
        return
    fi
    [ -z "$(header "$file" pair)" ] || pair_fits "$file" "$tmp/small.json" ||
        { echo "FAIL  $name: decided by $(pairs_reported "$tmp/small.json" | tr '\n' ' ')," \
               "the header names $(pairs_named "$file" | tr '\n' ' ')"; return; }
    echo "ok    $name"
}

if [ "${1:-}" = --one ]; then
    one "$2" >"$WORK/$(basename "$2").said"
    cat "$WORK/$(basename "$2").said"
    exit 0
fi
[ "${1:-}" != --update ] || { UPDATE=1; shift; }
some='scoped_order cv_predicate promise_broken map_iterator pure_virtual template_names memcpy_null
    recursive_wait'
case ${1:-} in
'') set -- "buggy/*" $(for n in $some; do echo "cxx/$n"; done) ;;
--all) shift; set -- "buggy/*" "cxx/*" ;;
esac
[ -x "$HEDDLE" ] || { echo "golden.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
files=()
for what; do
    case $what in */*) ;; *) what="*/$what" ;; esac
    for f in "$here"/$what.c "$here"/$what.cc; do
        case $f in */buggy/* | */cxx/*) [ ! -f "$f" ] || files+=("$f") ;; esac
    done
done
[ ${#files[@]} -gt 0 ] || { echo "golden.sh: no such program" >&2; exit 64; }
WORK=$(mktemp -d)
export WORK
trap 'rm -rf "$WORK"' EXIT
printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one | tee "$WORK/summary" | grep -v '^ok'
passed=$(grep -c '^ok' "$WORK/summary")
failed=$((${#files[@]} - passed))
# What no report may say, whatever the program: nothing stands for "not known", and names
# are those of the source.
never='\b0x0\b|_Z[A-Z0-9]|no stack was recorded|about to fence|descriptor -1|``|T[0-9]+ \( *\)'
if grep -nE "$never" "$here"/../golden/*.txt; then
    echo "FAIL  reports with what is not to be said (above)"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
