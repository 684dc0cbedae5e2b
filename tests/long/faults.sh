#!/usr/bin/env bash
# faults.sh: what goes wrong around Heddle: full disks, limits, killed processes, folders
# that may not be written or vanish. After each fault: Heddle did not crash and ended with
# one of its statuses, the store passes SQLite's integrity check, every saved finding is a
# whole one, no process is left, nothing is left in the temporary folder, and no file of the
# user's has changed.
#
#   HEDDLE=path/to/heddle tests/long/faults.sh
#
# Environment: SIZES (40 sizes of disk), INODES (10), KILLS (300, a third each of host,
# server and target), LIMITS (8 values of each limit), QUOTAS (8), SEED (1), KEEP=1.
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${SIZES:=40}" "${INODES:=10}" "${KILLS:=300}"
: "${LIMITS:=8}" "${QUOTAS:=8}" "${SEED:=1}"
HEDDLE=$(realpath "$HEDDLE")
command -v sqlite3 >/dev/null || { echo "SKIPPED: sqlite3 (Debian: sqlite3) is missing"; exit 0; }
WORK=$(mktemp -d)
[ -n "${KEEP:-}" ] || trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
RANDOM=$SEED
passed=0 failed=0

# ---- the program, and things of the user's -------------------------------------------------
cat >racy.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int safe, is_slow;
static void *add(void *arg)
{
    if (is_slow) /* 20 ms of real time, so that a run can be met */
        for (volatile long i = 0; i < 20000000 * (long)is_slow; i++)
            continue;
    for (int i = 0; i < 6; i++) {
        counter++;
        pthread_mutex_lock(&lock);
        safe++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    is_slow = argc > 1 && argv[1][0] == 's';
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    if (argc == 1 || is_slow)
        assert(counter == 18);
    return 0;
}
END
gcc -g -O1 -fsanitize=thread racy.c -o racy || exit 1
cat >script.toml <<'END'
[program]
path = "./racy"
[setup]
command = "echo x >$HEDDLE_TMP/x"
END
sed 's/^path.*/&\nargs = ["slow"]/' script.toml >slow.toml
mkdir -p user/sub tmp
echo mine >user/a
echo mine >user/sub/b
ln -s ../user user/sub/link
export TMPDIR=$WORK/tmp
of_user() { (cd user && stat -c '%n %F %a %s %Y %u' a sub sub/b sub/link && cat a sub/b); }
before=$(of_user)

# ---- what must hold after every fault --------------------------------------------------------
strays() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c -- "-> $WORK/"; }
no_stray() { for _ in $(seq 40); do [ "$(strays)" = 0 ] && return 0; sleep 0.1; done; return 1; }
is_store_whole() {
    [ ! -s "$1/store.db" ] || [ "$(sqlite3 "$1/store.db" 'PRAGMA integrity_check' 2>&1)" = ok ]
}
are_findings_whole() {
    local f
    for f in "$1"/findings/*-*; do
        [ -d "$f" ] && [ ! -L "$f" ] || continue
        tail -n 1 "$f/replay.heddle" 2>/dev/null | grep -q '^end ' || return 1
        [ -s "$f/report.txt" ] && [ -s "$f/README" ] || return 1
    done
}
bad() { failed=$((failed + 1)); echo "FAILED: $1"; sed 's/^/    /' out err 2>/dev/null | tail -8; }
# holds WHAT DIR RC [killed]: judges.
holds() {
    local what=$1 dir=$2 rc=$3
    if [ "${4-}" != killed ] && ! [[ "$rc" =~ ^(0|64|66|98|99)$ ]]; then bad "$what: status $rc"
    elif ! no_stray; then bad "$what: $(strays) processes are left"
    elif ! is_store_whole "$dir"; then bad "$what: the store is damaged"
    elif ! are_findings_whole "$dir"; then bad "$what: a finding is not whole"
    elif [ "${4-}" != killed ] && [ -n "$(ls -A tmp)" ]; then bad "$what: left in the temporary folder: $(ls -A tmp)"; rm -rf tmp/*
    elif [ "$(of_user)" != "$before" ]; then bad "$what: files of the user have changed"
    else passed=$((passed + 1)); fi
}
figures() { echo "$1: $passed passed, $failed failed so far"; }
campaign() { timeout -s KILL 60 "$HEDDLE" test "$@" >out 2>err; }

# ---- full disks ---------------------------------------------------------------------------------
# on_disk OPTIONS COMMAND...: with a small file system at ./small, in a name space of its own;
# what the command left there is copied to ./kept, since looking at a store needs room.
on_disk() {
    local options=$1
    shift
    rm -rf kept
    $apart bash -c 'mount -t tmpfs -o "$0" none small || exit 120; "$@" >out 2>err; rc=$?
        cp -a small kept; exit $rc' "$options" "$@"
}
# is_said: the report names the folder of the finding if and only if it is there.
is_said() {
    local f
    for f in kept/d/findings/*-*; do [ -d "$f" ] && { grep -qF "small/d/findings/${f##*/}" out; return; }; done
    ! grep -q 'small/d/findings/' out
}
mkdir -p small
full() { # full WHAT OPTIONS TMPDIR ARGS...
    local what=$1 options=$2 tmp=$3 rc
    shift 3
    TMPDIR=$tmp on_disk "$options" timeout -s KILL 60 "$HEDDLE" test --dir small/d --seed "$RANDOM" "$@"
    rc=$?
    if [ -n "$(ls -d kept/heddle-* 2>/dev/null)" ]; then bad "$what: a temporary folder is left"
    elif ! is_said; then bad "$what: the report does not say where the finding is"
    else holds "$what" kept/d $rc; fi
}
apart=
for a in "unshare -m" "unshare -rm"; do
    [ -n "$apart" ] || ! $a mount -t tmpfs -o size=1m none small 2>/dev/null || apart=$a
done
if [ -n "$apart" ]; then
    for i in $(seq "$SIZES"); do
        kib=$(awk -v i="$i" -v n="$SIZES" 'BEGIN { printf "%d", 8 * exp(log(200) * (i - 1) / (n > 1 ? n - 1 : 1)) }')
        case $((i % 4)) in
        0) full "disk of $kib KiB, script" "size=${kib}k" "$WORK/small" --script script.toml --runs 40 --strategy random -k ;;
        1) full "disk of $kib KiB" "size=${kib}k" "$TMPDIR" --runs 300 -k -- ./racy ;;
        2) full "disk of $kib KiB, first finding" "size=${kib}k" "$TMPDIR" -- ./racy ;;
        3) full "disk of $kib KiB, clean runs" "size=${kib}k" "$TMPDIR" --runs 300 --strategy random -- ./racy clean ;;
        esac
    done
    figures "full disks"
    for i in $(seq "$INODES"); do
        full "$((i * 3)) files at most" "nr_inodes=$((i * 3))" "$TMPDIR" --runs 100 -k --strategy random -- ./racy
    done
    full "a disk that may not be written" "size=1m,ro" "$TMPDIR" --runs 50 -- ./racy
    figures "few files, read-only"
else
    echo "SKIPPED: full disks need the right to mount; limits on files stand in for them"
    LIMITS=$((LIMITS + SIZES))
fi

# ---- a quota that is used up: system calls of the host that fail from the N-th on ---------------
quota() { # quota N CALLS
    rm -rf d
    timeout -s KILL 60 strace -o /dev/null -e trace="$2" -e inject="$2:error=EDQUOT:when=$1+" \
        "$HEDDLE" test --dir d --seed "$1" --runs 100 -k -- ./racy >out 2>err
    holds "$2 number $1 meets the quota" d $?
}
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    for i in $(seq "$QUOTAS"); do
        quota "$((i * i))" pwrite64
        quota "$i" mkdir
        quota "$i" renameat2
        quota "$((i * 2))" ftruncate
        quota "$((i * 2))" fdatasync
        quota "$i" unlink
        quota "$i" unlinkat
        quota "$i" symlink
    done
    figures "quota"
else
    echo "SKIPPED: a quota needs strace (Debian: strace)"
fi

# ---- limits ------------------------------------------------------------------------------------
# limited WHAT ULIMIT ARGS...
limited() {
    local what=$1 limit=$2
    shift 2
    rm -rf d
    (eval "ulimit $limit" && exec timeout -s KILL 60 "$HEDDLE" test --dir d --seed 3 "$@") >out 2>err
    local rc=$?
    # so little that the loader ends it, before any code of heddle's has run
    [ $rc != 127 ] || ! grep -q '^.*/heddle: error while loading shared libraries: ' err || rc=99
    holds "$what" d $rc
}
for i in $(seq "$LIMITS"); do
    limited "files of $((i * 24)) KiB" "-S -f $((i * 24))" --runs 150 -k -- ./racy
    limited "files of $((i * 24)) KiB, hard" "-f $((i * 24))" --runs 20 -- ./racy
    limited "$((i * 4 + 4)) descriptors" "-n $((i * 4 + 4))" --runs 20 -- ./racy
    limited "$((i * i * 12 + 12)) MiB of addresses" "-v $((i * i * 12288 + 12288))" --runs 20 -- ./racy
    limited "$((i * i * 12 + 24)) MiB of addresses" "-v $((i * i * 12288 + 24576))" --runs 20 -- ./racy
done
limited "1 s of processor time" "-S -t 1" --time 4s -k -- ./racy
figures "limits"

# ---- folders that vanish or change --------------------------------------------------------------
# meanwhile WHAT COMMAND: while a campaign runs in ./d
meanwhile() {
    local pid
    rm -rf d
    timeout -s KILL 60 "$HEDDLE" test --time 900ms -k --strategy random --dir d -- ./racy >out 2>err &
    pid=$!
    for _ in $(seq 60); do [ -e d/store.db ] && break; sleep 0.05; done
    sleep "0.$((RANDOM % 5))"
    eval "$2"
    wait $pid
    holds "$1" d $?
}
meanwhile "the limit on processor time is met" 'kill -XCPU "$(pgrep -P $pid)"'
grep -q 'interrupted after' err || bad "the limit on processor time: not said"
meanwhile "the folder is removed" 'rm -rf d'
meanwhile "the findings are removed" 'rm -rf d/findings'
meanwhile "the store is removed" 'rm -f d/store.db*'
meanwhile "the folder becomes a file" 'rm -rf d; touch d'
rm -f d
meanwhile "the folder becomes a link to the user's" 'rm -rf d; ln -s user d'
rm -rf d user/findings user/store.db* user/lock user/search # what they asked for
mkdir gone
(cd gone && cp ../racy . && rmdir ../gone 2>/dev/null; rm -r ../gone; timeout 60 "$HEDDLE" test --runs 20 -- "$WORK/racy") >out 2>err
holds "a working folder that is gone" nowhere $?
figures "folders"

# ---- killed processes ---------------------------------------------------------------------------
# child_of PID: a child of it that runs the program; runs are short, so it is looked for often.
child_of() {
    local c
    for _ in $(seq 30); do
        c=$(pgrep -P "$1" -x racy | tail -n 1)
        [ -n "$c" ] && { echo "$c"; return; }
    done
}
what=(host server target)
killed=(0 0 0)
who=0 i=0
while [ $((killed[0] + killed[1] + killed[2])) -lt "$KILLS" ] && [ $((i += 1)) -le $((KILLS * 4)) ]; do
    for who in 0 1 2; do [ "${killed[who]}" -lt $(((KILLS + 2 - who) / 3)) ] && break; done
    case $who$((i % 3)) in
    20) args=(--script slow.toml) ;;
    2?) args=(--strategy random -- ./racy slow) ;;
    ?0) args=(-- ./racy) ;;
    ?1) args=(--strategy random -- ./racy clean) ;;
    ?2) args=(--script script.toml) ;;
    esac
    "$HEDDLE" test --time 900ms -k --minimize-time 200ms --dir d "${args[@]}" >out 2>err &
    pid=$!
    sleep "0.$(printf %03d $((RANDOM % 900)))"
    victim=$pid
    [ $who -ge 1 ] && victim=$(child_of $pid)
    [ $who = 2 ] && [ -n "$victim" ] && victim=$(child_of "$victim")
    [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null && killed[who]=$((killed[who] + 1))
    wait $pid 2>/dev/null
    rc=$?
    if [ $who = 0 ]; then holds "kill $i of the host" d $rc killed; else holds "kill $i of the ${what[who]}" d $rc; fi
    if [ $who = 0 ] && [ -n "$(ls -A tmp)" ]; then # the next one that needs such a folder clears up
        "$HEDDLE" test --script script.toml --runs 1 --strategy random --dir d >out 2>err
        [ -z "$(ls -A tmp)" ] || { bad "kill $i: leftovers stay: $(ls -A tmp)"; rm -rf tmp/*; }
    fi
done
[ "$KILLS" -gt 0 ] && echo "killed: ${killed[0]} hosts, ${killed[1]} servers, ${killed[2]} targets"
[ $((killed[0] + killed[1] + killed[2])) = "$KILLS" ] || bad "only so many could be killed"
if [ -d d/findings/latest/ ]; then
    "$HEDDLE" replay d/findings/latest/replay.heddle >out 2>err
    holds "a finding that survived replays" d $?
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
