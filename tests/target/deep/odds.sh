#!/usr/bin/env bash
# odds.sh: how rare is the bug of a deep program for walks by chance? Builds each program with
# walk.c and prints how many of WALKS (300000) walks fail, for three ways to draw.
#   tests/target/deep/odds.sh [FILE...]      DEPTH=N: with that many orders in a row
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${WALKS:=300000}" "${DEPTH:=}"
[ $# -gt 0 ] || set -- "$here"/{tune,report,blind,blind2}/*.c
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f; do
    gcc -O1 -fsanitize=thread ${DEPTH:+-DDEPTH=$DEPTH} -Dmain=program_main -c "$f" -o "$tmp/program.o" &&
        gcc -O2 -o "$tmp/walk" "$here/walk.c" "$tmp/program.o" || exit 99
    printf '%-20s ' "$(basename "$f" .c)"
    "$tmp/walk" "$WALKS"
done
