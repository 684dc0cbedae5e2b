#!/usr/bin/env bash
# long.sh: runs every script of tests/long (what takes too long for CI), each in an
# empty folder of its own with HEDDLE naming the command.
#   HEDDLE=path/to/heddle tests/long.sh [NAME...]
# A script prints its figures, ends with "N passed, N failed" and exits 0 if none
# failed; its size is set by environment variables (see its first lines).
# Ends with a table of all and exit 1 if any failed.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../build/bin/heddle}"
[ -x "$HEDDLE" ] || { echo "long.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
HEDDLE=$(realpath "$HEDDLE")
export HEDDLE
[ $# -gt 0 ] || set -- "$here"/long/*.sh
table=
failed=0
for what; do
    [ -f "$what" ] || what=$here/long/$what.sh
    [ -f "$what" ] || { [ "$what" = "$here/long/*.sh" ] && continue; echo "long.sh: no $what" >&2; exit 64; }
    what=$(realpath "$what")
    name=$(basename "$what" .sh)
    echo "== $name"
    dir=$(mktemp -d)
    (cd "$dir" && bash "$what" 2>&1) | tee "$dir.log"
    status=${PIPESTATUS[0]}
    last=$(tail -n 1 "$dir.log")
    rm -rf "$dir" "$dir.log"
    [ "$status" -eq 0 ] || { failed=$((failed + 1)); last="$last (exit $status)"; }
    table+=$(printf '%-20s %s' "$name" "$last")$'\n'
done
printf '\n%s' "$table"
[ $failed -eq 0 ]
