#!/usr/bin/env bash
# Odd surroundings: few descriptors, inherited ones, closed standard streams, own
# LD_PRELOAD, links, another user, silent pipes.
. "$(dirname "$0")/lib.bash"
racy_c
correct_c

(ulimit -Sn 64 && "$HEDDLE" test --runs 20 -- ./correct) >out 2>err
rc=$?
expect 0 "a low soft limit on descriptors"
(ulimit -n 64 && "$HEDDLE" test --runs 20 -- ./correct) >out 2>err
rc=$?
expect 99 "a low hard limit on descriptors" "raise the limit"
"$HEDDLE" test --runs 20 -- ./correct >out 2>err <&-
rc=$?
expect 0 "closed standard input" " 20 runs in"
"$HEDDLE" test --seed 1 -- ./racy 2>err >&-
rc=$?
: >out
expect 66 "closed standard output" "1 finding"
"$HEDDLE" test -q --seed 1 -- ./racy >out 2>&- <&-
rc=$?
expect 66 "closed standard error" FINDING

# The caller's descriptors reach the program; a replay sees those of the recording.
cat >opens.c <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int counter, to;
static void *add(void *arg)
{
    counter++;
    return write(to, arg, 1) == 1 ? arg : 0;
}
int main(void)
{
    char buf[2];
    int p[2];
    pthread_t a, b;
    if (pipe(p))
        return 3;
    to = p[1];
    pthread_create(&a, 0, add, "a");
    pthread_create(&b, 0, add, "b");
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (read(p[0], buf, 2) != 2)
        return 4;
    assert(counter == 2);
    return fcntl(8, F_GETFD) < 0;
}
END
build opens
heddle test --dir few --seed 1 -- ./opens 8</dev/null
expect 66 "a finding of a program that opens descriptors" "assert"
heddle replay few/findings/latest/replay.heddle 3</dev/null 5</dev/null
expect 66 "replayed with more descriptors open" "as recorded"
heddle test --dir many --seed 1 -- ./opens 3</dev/null 7</dev/null
expect 66 "a finding with descriptors inherited" "assert"
heddle replay many/findings/latest/replay.heddle
expect 66 "replayed with fewer descriptors open" "as recorded"
heddle replay many/findings/latest/replay.heddle 4</dev/null 7</dev/null 900</dev/null
expect 66 "replayed with others open" "as recorded"
cat >reads.c <<'END'
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char got[8];
static void *take(void *arg)
{
    pthread_mutex_lock(&lock);
    int n = (int)strlen(got);
    if (read(5, got + n, 2) != 2)
        got[n] = '?';
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return strcmp(got, "cdef") != 0;
}
END
build reads
echo abcdefgh >letters
(read -rn 2 -u 5 _ && timeout 60 "$HEDDLE" test --runs 40 -j 2 -- ./reads) >out 2>err 5<letters
rc=$?
expect 0 "each run reads an inherited file from where it was" " 40 runs in"

cat >mine.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int mine(void) { const char *p = getenv("LD_PRELOAD"); return p ? (int)p[0] : 0; }
END
gcc -shared -fPIC mine.c -o mine.so
cat >uses.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, nothing, 0);
    pthread_create(&b, 0, nothing, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    const char *own = getenv("LD_PRELOAD");
    int is_loaded = dlsym(RTLD_DEFAULT, "mine") != 0;
    if (getenv("HEDDLE_SHM") || getenv("HEDDLE_PRELOAD_WAS"))
        return 11;
    if (getenv("WANT"))
        return own && strstr(own, "mine.so") && !strstr(own, "tsan") && is_loaded ? 0 : 12;
    return own || is_loaded ? 13 : 0;
}
END
build uses
heddle test --runs 5 -- ./uses
expect 0 "the program sees no trace of the preloading"
WANT=1 LD_PRELOAD=$PWD/mine.so timeout 60 "$HEDDLE" test --runs 5 -- ./uses >out 2>err
rc=$?
expect 0 "an LD_PRELOAD of one's own is kept"
mkdir bin && ln -s ../correct bin/link
heddle test --runs 5 -- bin/link
expect 0 "a symbolic link"
PATH=$PWD/bin:$PATH heddle test --runs 5 -- link
expect 0 "a program in PATH"
(sleep 30 | timeout 20 "$HEDDLE" test --runs 5 -- ./correct) >out 2>err &
wait_for=$!
for _ in $(seq 100); do grep -q "5 runs in" err 2>/dev/null && break; sleep 0.1; done
rc=0
expect 0 "a pipe that stays silent" "nobody writes to.* 5 runs in"
kill $wait_for 2>/dev/null
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir other && chown 65534:65534 other
    chmod 755 . && cp racy other/ 2>/dev/null
    if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$HEDDLE"; then
        (cd other && setpriv --reuid 65534 --regid 65534 --clear-groups \
            timeout 60 "$HEDDLE" test --seed 1 -- ./racy) >out 2>err
        rc=$?
        expect 66 "as another user" "5 times: the same failure"
    fi
fi
finish
