#!/usr/bin/env bash
# run.sh: the fuzz targets of this folder (README.md).
#
#   tests/fuzz/run.sh RUNS [TARGET...]      e.g. 100000 replay store
#
# Needs the sanitized build (tests/sanitize.sh build). Seeds are files that the tool makes here and
# now, examples of the documentation, and found/TARGET/: inputs that once failed. Words of the
# documentation are the dictionary. Equal runs are equal: the seed of each target is fixed.
# Environment: BUILD (build), HEDDLE (BUILD/bin/heddle), SEED (1), JOBS (2),
# CORPUS (folder; new inputs are kept there), LIMIT (seconds one input may take, 60).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${BUILD:=$root/build}" "${SEED:=1}" "${JOBS:=2}" "${LIMIT:=60}"
: "${HEDDLE:=$BUILD/bin/heddle}"
BUILD=$(realpath "$BUILD") HEDDLE=$(realpath "$HEDDLE")
export HEDDLE BUILD SEED LIMIT root here

# Blocks between ``` in a page, each in a file of its own.
blocks() { awk -v to="$2/block" '/^```/ { is = !is; n++; next } is { print > (to n) }' "$1"; }
# What stands in back quotes on a page, or in quotes in a source, as libFuzzer's dictionary.
words() { cat "$@" | grep -oE '`[^`]{2,24}`|"[a-z-]{2,24}"' | tr -d '`"\\' | grep -aE '^[ -~]+$' | sort -u | sed 's/.*/"&"/'; }

seeds() { # seeds TARGET FOLDER
    case $1 in
    replay) cp "$WORK"/made/*.heddle "$2" ;;
    search) cp "$WORK"/made/*.search "$2" ;;
    store)
        cp "$WORK/made/.heddle/store.db" "$2"
        # element.extra, .metric, .sub, build.hash, ... of one row and of all
        for k in 0 3 7 12 18 25 33 40 48 55; do
            printf "\\x$(printf %x $((k / 16)))\\x$(printf %x $((k % 16)))\\x01\\x00\\x01\\x07" >"$2/a$k"
            printf "\\x$(printf %x $((k / 16)))\\x$(printf %x $((k % 16)))\\xff\\x03\\x04abcd" >"$2/b$k"
        done
        ;;
    script) blocks "$root/docs/script.md" "$2"; cp "$root/examples/echo_server/test.toml" "$2" ;;
    suppress) blocks "$root/docs/suppressions.md" "$2" ;;
    options)
        sed -nE 's/^HD_OPTION\("([^"]+)".*/\1/p' "$root/src/cli/options.def" | while read -r name; do
            printf '0%s=3\n--%s\n5\n--\n./prog\nx\n' "$name" "$name" >"$2/$name"
        done
        ;;
    symbol) cp "$WORK/made/small.so" "$WORK/made/small" "$2" ;;
    esac
    cp "$here/found/$1"/* "$2" 2>/dev/null
}

dictionary() {
    case $1 in
    replay) words "$root/docs/replay-format.md" "$root/src/event/replay/replay.def" "$root"/src/event/replay/replay_*.c ;;
    script) words "$root/docs/script.md" ;;
    suppress) words "$root/docs/suppressions.md" ;;
    options) words "$root/src/cli/options.def" "$root/src/strategy/strategy.def" "$root/src/search/search.def" ;;
    esac
}

# Real files, as small as real ones get.
make_files() {
    mkdir -p "$WORK/made" && cd "$WORK/made" || exit 99
    cat >racy.c <<'END'
#include <assert.h>
#include <pthread.h>
static int n;
static void *add(void *arg) { return n++, arg; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 2);
}
END
    sed 's/assert(.*)/return 0/; s/n++/ADD, ADD, ADD, ADD/; 1i #define ADD __atomic_fetch_add(\&n, 1, 5)' racy.c >safe.c
    echo 'int f(int x) { return x; } int v; int _start(void) { return f(v); }' >small.c
    { gcc -g -fsanitize=thread racy.c -o racy && gcc -fsanitize=thread safe.c -o safe &&
        gcc -shared -fPIC -nostdlib -Wl,--build-id small.c -o small.so &&
        gcc -nostdlib -Wl,--build-id small.c -o small; } || exit 99
    env -i PATH="$PATH" "$HEDDLE" test -q --seed 1 -- ./racy >log 2>&1
    [ $? -eq 66 ] || { cat log; echo "run.sh: no finding to take seeds from"; exit 99; }
    env -i PATH="$PATH" "$HEDDLE" run -q --seed 1 -- ./racy >log 2>&1
    local method
    for method in dfs pcb dpor hapset; do
        env -i PATH="$PATH" "$HEDDLE" test -q --seed 1 --strategy $method --runs 10 --dir $method -- ./safe \
            >log 2>&1 || { cat log; echo "run.sh: no search to take seeds from"; exit 99; }
        sqlite3 $method/store.db 'SELECT state FROM search' >$method.search
        [ -s $method.search ] || { echo "run.sh: $method was not saved"; exit 99; }
    done
    cp .heddle/findings/latest/replay.heddle found.heddle && cp .heddle/last.heddle .
}

one() { # one TARGET RUNS
    local dir=$WORK/$1 args
    mkdir -p "$dir/seeds" "$dir/new"
    seeds "$1" "$dir/seeds"
    dictionary "$1" >"$dir/dict"
    args=(-runs="$2" -seed="$SEED" -max_len=8192 -timeout="$LIMIT" -rss_limit_mb=3000 -print_final_stats=1
        -artifact_prefix="$dir/failed-")
    [ "$1" != store ] || args+=(-max_len=131072)
    [ -s "$dir/dict" ] && args+=(-dict="$dir/dict")
    [ -z "${CORPUS:-}" ] || { mkdir -p "$CORPUS/$1"; args+=("$CORPUS/$1"); }
    if (cd "$dir" && TMPDIR=$dir ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=16:max_malloc_fill_size=64 \
        UBSAN_OPTIONS=print_stacktrace=1 "$BUILD/sanitize/fuzz/fuzz_$1" "${args[@]}" new seeds) >"$dir/log" 2>&1; then
        echo "ok    $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/log") inputs"
    else
        echo "FAIL  $1"
        grep -vE '^#[0-9]+.*(NEW|REDUCE|pulse|RELOAD)' "$dir/log" | tail -n 60 | sed 's/^/    /'
        for f in "$dir"/failed-*; do
            [ -f "$f" ] && { echo "    the input, in base64:"; base64 "$f" | head -n 40 | sed 's/^/    /'; }
        done
    fi
}

if [ "${1:-}" = --one ]; then
    one "$3" "$2"
    exit 0
fi
runs=${1:?usage: run.sh RUNS [TARGET...]}
shift
[ $# -gt 0 ] || set -- $(cd "$here" && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
WORK=$(mktemp -d)
export WORK
trap 'rm -rf "$WORK"' EXIT
[ -x "$BUILD/sanitize/fuzz/fuzz_replay" ] || { echo "run.sh: no sanitized build: tests/sanitize.sh build" >&2; exit 99; }
(make_files) || exit 99
printf '%s\0' "$@" | xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one "$runs" | tee "$WORK/summary"
passed=$(grep -c '^ok' "$WORK/summary")
echo "$passed passed, $(($# - passed)) failed"
[ "$passed" -eq $# ]
