#!/usr/bin/env bash
# Whatever goes wrong with the store in the middle of a campaign ends the memory, not
# the campaign: said once, findings are printed and saved, the store stays whole.
. "$(dirname "$0")/lib.bash"
command -v sqlite3 >/dev/null || { echo "SKIPPED: sqlite3 (Debian: sqlite3) is missing"; exit 0; }
racy_c
correct_c

# broken "what": the campaign of the last command went on, found its bug and said once
# that it has no memory.
broken() {
    expect 66 "$1: the campaign goes on" FINDING
    check "$1: it is said once" test "$(grep -c 'remembered' err)" = 1
    check "$1: the finding is saved" test -s "$dir/findings/latest/replay.heddle"
}
whole() { [ "$(sqlite3 "$1/store.db" 'PRAGMA integrity_check')" = ok ]; }

# ---- an insert or update that fails, in every table --------------------------------------
"$HEDDLE" test --seed 7 --runs 20 --dir model -- ./correct >out 2>err
for table in $(sqlite3 model/store.db "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"); do
    for event in INSERT UPDATE; do
        dir=d.$table.$event
        cp -r model "$dir"
        sqlite3 "$dir/store.db" "CREATE TRIGGER boom BEFORE $event ON $table BEGIN SELECT RAISE(ABORT, 'no more'); END"
        heddle test --seed 1 --runs 120 -k --no-minimize --dir "$dir" -- ./racy
        if [ "$rc" != 66 ] || [ "$(grep -c remembered err)" -gt 1 ] ||
            [ ! -s "$dir/findings/latest/replay.heddle" ] || ! whole "$dir"; then
            not_ok "$event into $table fails"
        else
            ok "$event into $table fails"
        fi
        rm -rf "$dir"
    done
done
# The same where the refusal comes late: only rows of a finding, only the last rows.
for when in "finding INSERT" "sighting INSERT" "run INSERT" "campaign UPDATE"; do
    set -- $when
    dir=late.$1
    cp -r model "$dir"
    sqlite3 "$dir/store.db" "CREATE TRIGGER boom BEFORE $2 ON $1 BEGIN SELECT RAISE(ABORT, 'no more'); END"
    heddle test --seed 1 --strategy random --runs 120 -k --no-minimize --dir "$dir" -- ./racy
    broken "$when by a strategy"
    heddle run --seed 1 --coverage auto --dir "$dir" -- ./correct
    check "$when: run goes on" test "$rc" -lt 99
done

# ---- locked, removed, replaced while it goes on ----------------------------------------
# during DIR COMMAND: a campaign of 2 s in DIR; COMMAND within the first one.
during() {
    dir=$1
    timeout 60 "$HEDDLE" test --time 2s -k --strategy random --seed 1 --dir "$dir" -- ./racy >out 2>err &
    pid=$!
    for _ in $(seq 100); do [ -e "$dir/store.db-wal" ] && break; sleep 0.05; done
    sleep 0.7
    bash -c "$2" >/dev/null 2>&1
    wait $pid
    rc=$?
}
during locked "cd locked && (echo 'BEGIN EXCLUSIVE;'; sleep 6) | sqlite3 -cmd '.timeout 3000' store.db & sleep 0.1"
expect 66 "a store that another program locks" FINDING
check "is said at most once" test "$(grep -c remembered err)" -le 1
during gone "rm -rf gone"
expect 66 "a folder that is removed" FINDING
during moved "mv moved moved.away"
expect 66 "a folder that is moved" FINDING
check "whatever was stored is whole" whole moved.away
during junk "dd if=/dev/urandom of=junk/store.db bs=4096 seek=1 count=8 conv=notrunc"
expect 66 "a store that is overwritten" FINDING

# ---- limits ------------------------------------------------------------------------------
for kib in 4 16 64 100 200; do
    (
        ulimit -S -f "$kib"
        exec timeout 60 "$HEDDLE" test --seed 1 --runs 300 --dir "limit$kib" -- ./racy
    ) >out 2>err
    rc=$?
    if [ "$rc" = 66 ] && grep -q FINDING out; then ok "files of at most $kib KiB"
    else not_ok "files of at most $kib KiB (status $rc)"; fi
    [ ! -e "limit$kib/store.db" ] || check "... and the store is whole" whole "limit$kib"
done
(ulimit -f 100; exec timeout 60 "$HEDDLE" test --seed 1 --runs 300 --dir limit -- ./racy) >out 2>err
rc=$?
if [ "$rc" = 99 ]; then expect 99 "a limit that cannot be lifted" "ulimit -f"; else expect 66 "a limit that cannot be lifted" FINDING; fi
finish
