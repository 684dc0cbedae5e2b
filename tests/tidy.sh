#!/usr/bin/env bash
# tidy.sh: clang-tidy over src (.clang-tidy), every file on its own, warnings are errors.
#
#   tests/tidy.sh [--all] [FILE...]
#
# The checks of bugprone-* and cert-*, which take seconds; --all: those of clang's analyzer too,
# which take many minutes (tests/long/tidy.sh). A file that was clean with the same checks,
# compiler command, text and headers is not looked at again (BUILD/tidy).
# Environment: BUILD (build), JOBS (2).
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${BUILD:=$root/build}" "${JOBS:=2}"
BUILD=$(realpath "$BUILD")
depth=quick checks=-clang-analyzer-* each=20

# tidy_some FILE...: one clang-tidy for all of them, which starts it once; one each to tell whose fault it is
tidy_some() {
    local keys=() files=() f key log=$STATE/log.$BASHPID
    for f; do
        key=$(cat "$f" "$STATE/common" | sha256sum) key=$STATE/${key%% *}
        if [ -e "$key" ]; then echo "ok    ${f#"$root"/}"; else files+=("$f") keys+=("$key"); fi
    done
    if [ ${#files[@]} -eq 0 ]; then
        :
    elif clang-tidy -p "$STATE/db" --quiet ${CHECKS:+--checks="$CHECKS"} "${files[@]}" >"$log" 2>&1; then
        touch "${keys[@]}"
        printf 'ok    %s\n' "${files[@]#"$root"/}"
    elif [ ${#files[@]} -eq 1 ]; then
        echo "FAIL  ${files[0]#"$root"/}"
        grep -E -A 4 '(warning|error):' "$log"
    else
        for f in "${files[@]}"; do tidy_some "$f"; done
    fi
    rm -f "$log"
}

if [ "${1:-}" = --some ]; then
    tidy_some "${@:2}"
    exit 0
fi
[ "${1:-}" != --all ] || { depth=all checks= each=1; shift; }
export STATE=$BUILD/tidy/$depth CHECKS=$checks
mkdir -p "$STATE/db"
cmake -S "$root" -B "$BUILD" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$STATE/log" 2>&1 ||
    { cat "$STATE/log"; exit 1; }
cp "$BUILD/compile_commands.json" "$STATE/db/"
{
    clang-tidy --version
    cat "$root/.clang-tidy" "$STATE/db/compile_commands.json"
    find "$root/src" "$root/include" \( -name '*.h' -o -name '*.def' \) -print0 | sort -z | xargs -0 cat
} | sha256sum >"$STATE/common"
find "$STATE" -maxdepth 1 -type f -mtime +14 -delete
if [ $# -gt 0 ]; then files=("$@"); else readarray -t files < <(find "$root/src" -name '*.c' | sort); fi
printf '%s\0' "${files[@]}" | xargs -0 -n "$each" -P "$JOBS" "${BASH_SOURCE[0]}" --some >"$STATE/summary"
grep -v '^ok ' "$STATE/summary"
passed=$(grep -c '^ok ' "$STATE/summary")
echo "$passed passed, $((${#files[@]} - passed)) failed"
[ "$passed" -eq ${#files[@]} ]
