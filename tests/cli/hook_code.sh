#!/usr/bin/env bash
# The machine code of the hot hooks: what a quiet site costs is the path from the entry of a
# hook to its first return, counted in the library that was built. It must not grow.
. "$(dirname "$0")/lib.bash"
LIBRARY=$1

# path HOOK: the instructions of its straight way to `ret`, one a line
path() {
    objdump -d --no-show-raw-insn --disassemble="$1" "$LIBRARY" |
        awk -F'\t' '/^ / && NF > 1 { print $2; if ($2 ~ /^ret/) { done = 1; exit } } END { exit !done }'
}

# Of all memory hooks that the compiler calls with a fixed size.
names=$(nm -D --defined-only "$LIBRARY" | awk '{ print $3 }' |
    grep -E '^__tsan_(unaligned_)?(volatile_)?(read|write|read_write)(1|2|4|8|16)(_pc)?$')
check "all hooks are there: $(wc -w <<<"$names")" test "$(wc -w <<<"$names")" = 60
bad=0
for name in $names; do
    if ! path "$name" >path || [ "$(wc -l <path)" -gt 9 ] || [ "$(grep -c '^j' path)" -gt 2 ] ||
        grep -qE '^(call|push|pop)' path; then
        bad=1
        echo "# $name: $(wc -l <path) instructions"
        sed 's/^/#     /' path
    fi
done
check "a quiet site costs at most 9 instructions: two tests, no call" test $bad = 0

# Function entry and exit are as hot.
for limit in "__tsan_func_entry 23" "__tsan_func_exit 10"; do
    read -r name most <<<"$limit"
    path "$name" >path
    check "$name: $(wc -l <path) instructions, at most $most" test "$(wc -l <path)" -le "$most"
done
finish
