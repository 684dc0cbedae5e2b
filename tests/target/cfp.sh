#!/usr/bin/env bash
# Concurrent function pairs of small programs, against those in their headers. One cheap run of
# each, by `heddle suite --profile`.
#   HEDDLE=path/to/heddle tests/target/cfp.sh [FLAGS of the compiler, default -O1]
set -u
HEDDLE=$(realpath "${HEDDLE:?set HEDDLE to the heddle command}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for file in "$here"/cfp/*.c; do
    name=$(basename "$file" .c)
    gcc -g "${@:--O1}" -fsanitize=thread "$file" -o "$name" || exit 1
    printf '[[input]]\nname = "%s"\nprogram = "./%s"\n' "$name" "$name"
    sed -n 's/^ \* pairs: *//p' "$file" | tr ' ' '\n' | sed '/^$/d' | sort >"$name.want"
done >suite.toml
"$HEDDLE" suite --profile -q --json r.json suite.toml >out 2>err || { cat out err; exit 1; }
passed=0
failed=0
for want in *.want; do
    name=${want%.want}
    # Those of main, start and join_all are the frame of these programs, not what is tested.
    jq -r --arg name "$name" '.inputs[] | select(.name == $name) | .function_pairs[] |
        select(all(. != "main" and . != "start" and . != "join_all")) | sort | join("+")' \
        r.json | sort >"$name.got"
    if cmp -s "$want" "$name.got"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok - $name: $(tr '\n' ' ' <"$name.got")instead of $(tr '\n' ' ' <"$want")"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
