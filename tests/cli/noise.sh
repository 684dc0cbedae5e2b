#!/usr/bin/env bash
# Whatever the program writes into what it shares with the host, the host neither crashes
# nor hangs nor becomes deaf (tests/long/noise.sh does the same at length).
. "$(dirname "$0")/lib.bash"
# The programs attack every descriptor they inherit: none of our caller's (CTest leaves its log open).
for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    [ "$fd" -le 2 ] || [ "$fd" = 255 ] || eval "exec $fd>&-" 2>/dev/null
done
for p in noise hostile; do
    gcc -g -O1 -fsanitize=thread -o $p "$ROOT/tests/nasty/shared/$p.c" -pthread 2>err || not_ok "$p builds"
done
# One more verdict is right: Heddle failed (99), since its runtime lives in that memory.
is_alive() { [ $rc = 0 ] || [ $rc = 66 ] || [ $rc = 98 ] || [ $rc = 99 ]; }

for way in truncate grow ones zeros header tables counts reply; do
    for end in "" end; do
        heddle test -q --keep-going --runs 3 --timeout 1s --no-minimize --dir d -- ./hostile $way $end
        check "attack: $way${end:+ at the end}" is_alive
        rm -rf d
    done
done
for way in truncate grow; do
    heddle test --runs 3 --keep-going --dir d -- ./hostile $way
    expect 0 "the memory cannot be made smaller or larger: $way" "3 runs"
done
heddle test --keep-going --runs 3 --timeout 1s --dir d -- ./hostile ones
expect 99 "... and whose fault it was is said" "the program wrote into the memory that it shares with Heddle"
store_is_whole() { [ ! -e d/store.db ] || [ "$(sqlite3 d/store.db 'pragma integrity_check')" = ok ]; }
for phase in 0 1 2 3 4; do
    for writes in 2000 0; do
        heddle test -q --keep-going --runs 6 --timeout 1s --no-minimize --dir d -- ./noise 1 $writes $phase
        check "noise in phase $phase, $writes writes (0: one in every page)" is_alive
        check "... and the store is whole" store_is_whole
        rm -rf d
    done
done
for phase in 1 3 4; do # the others, and each of them 40 times: tests/long/noise.sh
    heddle test -q --runs 3 --timeout 1s --no-minimize --dir d -- ./noise 1 -1 $phase
    check "noise over all of every page in phase $phase" is_alive
    rm -rf d
done
# What the host and the server write, a run can only read; nobody can make that otherwise.
cat >parts.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static void *work(void *arg) { return arg; }
int main(void)
{
    pthread_t t;
    char line[512], mode[8], name[64];
    unsigned long lo, hi;
    int n = 0, bad = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx %7s", &lo, &hi, mode) != 3 || !strstr(line, "memfd:heddle-"))
            continue;
        sscanf(strstr(line, "memfd:"), "memfd:%63s", name);
        n++;
        if (!strcmp(name, "heddle-host")) /* sealed: not even by asking for it */
            bad += mode[1] == 'w' || !mprotect((void *)lo, 4096, PROT_READ | PROT_WRITE);
    }
    if (f)
        fclose(f);
    bad += mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 1019, 0) != MAP_FAILED;
    bad += pwrite(1019, "x", 1, 0) == 1;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    fprintf(stderr, "%d parts\n", n);
    return n != 3 || bad; /* the host's, the server's, the run's; not the server's own */
}
END
build parts
heddle run -- ./parts
expect 98 "a run has three parts and can write only its own" "the run was clean"
# Ctrl-C while the program counts up everything that looks like progress.
begin=$SECONDS
timeout --foreground -s INT 1 "$HEDDLE" test -q --keep-going --time 60s --timeout 30s --dir d -- ./hostile counts >out 2>err
check "Ctrl-C works" test $((SECONDS - begin)) -lt 10
finish
