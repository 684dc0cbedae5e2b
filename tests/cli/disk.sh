#!/usr/bin/env bash
# No place to save: the finding is still printed, and what failed is said.
. "$(dirname "$0")/lib.bash"
racy_c
echo x >taken
heddle test --seed 1 --dir taken -- ./racy
expect 66 "a file where the folder should be" "could not be saved in taken: Not a directory"
check "the finding is printed all the same" grep -q FINDING out
heddle run --seed 1 --dir taken -- ./racy
check "run says it too" grep -q "warning: .*taken" err

mkdir small
if unshare -rm true 2>/dev/null || unshare -m true 2>/dev/null; then
    flags=-m
    unshare -m true 2>/dev/null || flags=-rm
    inside() { unshare $flags bash -c "mount -t tmpfs -o $1 none small && $2"; }
    inside size=8k "'$HEDDLE' test --seed 1 --dir small/d -- ./racy; rc=\$?; ls -A small/d/findings | grep -v latest >left; exit \$rc" >out 2>err
    rc=$?
    expect 66 "a full disk" "could not be saved in small/d: No space left"
    check "no half finding is left" test ! -s left
    check "the finding is printed all the same" grep -q FINDING out
    inside size=1m,ro "'$HEDDLE' test --seed 1 --dir small/d -- ./racy" >out 2>err
    rc=$?
    expect 66 "a read-only folder" "could not be saved in small/d: Read-only"
fi
"$HEDDLE" test --seed 1 --json - -- ./racy >/dev/full 2>err
rc=$?
: >out
expect 66 "a full standard output" "cannot write -"
finish
