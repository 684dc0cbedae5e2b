#!/usr/bin/env bash
# versions_debian.sh: two histories made of Debian's versions of xz-utils (5.4.1 and the series of
# patches of its security updates), walked from the newest version back: each commit takes a patch
# away. Commit 2 is a comment (ours), 3 takes away a change of code that no other thread runs, 4 is the bug
# again, 5 touches no concurrent code.
#   free_too_early     CVE-2025-31115: the threaded decoder frees its input buffer while main writes there
#   progress_unlocked  a counter that main and workers update, main without the lock: a data race
# The unchanged decoder has a race of its own, which C11 knows as one and ThreadSanitizer reports as well: a worker writes
# `partial_update` without a lock, and main reads it under another one. A user would say that it is known (a suppression by
# id); so does this test, of findings all of whose accesses are to that member and of no others.
# Fails if the unchanged program has other findings, if the bug is not found after its commit or lost in the next, or if commits 2 and 3 take more than
# 3 percent of the runs of commit 1. Programs that cannot be fetched are named, and skipped (77).
# Environment: HISTORIES (both), IDIOMS (1: what is driven; all six take minutes a campaign).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=$here/../../bench
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$bench/work}
passed=0
failed=0
bad() { failed=$((failed + 1)); echo "not ok - $*"; }
good() { passed=$((passed + 1)); }
unset HEDDLE_OPTIONS
: "${IDIOMS:=1}"

{ "$bench/real/fetch.sh" xz-utils && "$bench/real/build.sh" xz-utils; } >/dev/null 2>log ||
    { echo "versions_debian: xz-utils cannot be had here: $(tail -n 1 log)"; exit 77; }
rm -rf tree
cp -a "$HEDDLE_BENCH_WORK/build-xz-utils-tsan" tree
[ -f tree/debian/patches/series ] || { echo "versions_debian: without Debian's patches there is no history"; exit 77; }

# without PATCH...: the tree without these, in this order
without() {
    for p; do (cd tree && patch -R -p1 -s <"$(ls debian/patches/"$p"*)") || exit 99; done
    make -C tree >log 2>&1 && cp tree/src/xz/xz prog || { tail -n 3 log; exit 99; }
}
with() { # with PATCH...: back again
    for p; do (cd tree && patch -p1 -s <"$(ls debian/patches/"$p"*)") || exit 99; done
}
awk 'BEGIN { srand(2); for (i = 0; i < 60000; i++) printf "%c", 33 + int(90 * rand()) }' >data
xz -c -T2 -0 --block-size=32768 data >good.xz
# The first byte of the first block's data becomes one that no encoder writes.
at=$((12 + ($(od -An -tu1 -j12 -N1 good.xz) + 1) * 4))
cp good.xz bad.xz
printf '\100' | dd of=bad.xz bs=1 seek="$at" conv=notrunc status=none

campaign() { # campaign DIR OPTION... -- ARGUMENT...: sets rc, runs and seconds
    local dir=$1
    shift
    rm -f r.json
    timeout 600 "$HEDDLE" test -q --no-minimize --seed 1 --exit-ok 1 --dir "$dir" --json r.json "$@" >out 2>err </dev/null
    rc=$?
    read -r runs seconds <<<"$(jq -r '"\(.runs) \(.seconds)"' r.json)"
}
# Are all accesses of the last campaign's findings, races all of them, at source lines with this word?
is_all_at() { # is_all_at WORD
    local file line
    jq -e 'all(.findings[]; .kind == "race")' r.json >/dev/null || return
    while read -r file line; do
        sed -n "${line}p" "$(find tree/src -path "*/$file" -print -quit)" | grep -qw "$1" || return
    done <<<"$(jq -r '.findings[].race.accesses[] | "\(.file) \(.line)"' r.json)"
}
history() { # history NAME "PATCHES OF COMMIT 4" "MEMBER WITH A RACE OF ITS OWN" OPTION... -- ARGUMENT...
    local name=$1 bug=$2 own=$3 all taken
    shift 3
    rm -rf store fresh
    without
    : >known.supp
    set -- --suppressions known.supp "$@"
    campaign store "$@"
    all=$runs
    if [ "$rc" = 66 ] && [ -n "$own" ] && is_all_at "$own"; then
        good
        jq -r '.findings[] | "finding:" + .id' r.json >known.supp
        echo "$name: known from now on: $(tr '\n' ' ' <known.supp)"
    else
        [ "$rc" = 0 ] && good || bad "$name: commit 1: status $rc: $(jq -r '.findings[0].title' r.json)"
    fi
    echo "$name: commit 1: $runs runs, $seconds s"
    sed -i '1i/* What follows decodes in several threads. */' tree/src/liblzma/common/stream_decoder_mt.c
    for taken in "" xz-Prevent-an-integer-overflow; do
        without $taken
        campaign store "$@"
        [ "$rc" = 0 ] && good || bad "$name ${taken:+without }${taken:-a comment}: status $rc"
        [ $((100 * runs)) -le $((3 * all)) ] && good || bad "$name ${taken:+without }${taken:-a comment}: $runs runs of $all"
        echo "$name: ${taken:+without }${taken:-a comment}: $runs runs, $seconds s"
    done
    without $bug
    campaign store "$@"
    [ "$rc" = 66 ] && good || bad "$name: the bug is not found: status $rc"
    echo "$name: the bug: $(jq -r '.findings[0].title' r.json) $runs runs, $seconds s"
    campaign fresh "$@"
    echo "$name: from nothing: status $rc, $runs runs, $seconds s"
    without liblzma-Fix-a-buffer-overflow
    campaign store "$@"
    [ "$rc" = 66 ] && good || bad "$name: lost in the next commit: status $rc"
    with liblzma-Fix-a-buffer-overflow $(printf '%s\n' $bug | tac) xz-Prevent-an-integer-overflow
    sed -i 1d tree/src/liblzma/common/stream_decoder_mt.c
}
for name in ${HISTORIES:-free_too_early progress_unlocked}; do
    case $name in
    free_too_early) history "$name" "liblzma-mt-dec-Don-t-modify liblzma-mt-dec-Don-t-free" "" --no-race --idioms "$IDIOMS" \
        -- ./prog -dc -T2 bad.xz ;;
    progress_unlocked) history "$name" liblzma-mt-dec-Protect-progress partial_update --idioms "$IDIOMS" -- ./prog -dc -T2 good.xz ;;
    *) echo "versions_debian: no history $name" >&2; exit 64 ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
