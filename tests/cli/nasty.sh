#!/usr/bin/env bash
# Programs that do what well-behaved ones do not (tests/nasty): none of it may
# confuse the runtime. Each says in its header what is to be found.
. "$(dirname "$0")/lib.bash"

for src in "$ROOT"/tests/nasty/*.c*; do
    name=$(basename "${src%.*}")
    case $src in
    *.cc) g++ -std=c++20 -g -O1 -fsanitize=thread "$src" -o "$name" ;;
    *) gcc -g -O1 -fsanitize=thread -pthread "$src" -o "$name" ;;
    esac || { not_ok "$name builds"; continue; }
    want=$(sed -n 's/^ \* expect: \([a-z]*\).*/\1/p' "$src" | head -1)
    runs=100
    case $name in many_threads) runs=5 ;; crowd) runs=2 ;; esac
    heddle test -q --strategy random --seed 1 --runs $runs --json out.json -- "./$name"
    if [ "$want" = clean ]; then
        expect 0 "$name: nothing found"
    else
        expect 66 "$name: found"
        check "$name: it is $want" test "$(jq -r '.findings[0].kind' out.json)" = "$want"
        check "$name: every replay the same" \
            jq -e '.findings[0] | .tried > 0 and .reproduced == .tried' out.json
    fi
done

finish
