# lib.bash: for the end-to-end scripts. Each runs with HEDDLE set to the command
# and an empty folder as working directory, prints one "ok"/"not ok" line per
# check, and fails if any check failed.
set -u
HEDDLE=${HEDDLE:?set HEDDLE to the heddle command}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
# Programs of most scripts race on purpose (see races.sh); numbers are looked at, not words (green.sh).
export HEDDLE_OPTIONS="--no-race --verbose"
failed=0
n_checks=0
trap '[ $failed = 0 ] || exit 1' EXIT # also of a script that just ends

ok() { n_checks=$((n_checks + 1)); echo "ok $n_checks - $1"; }
not_ok() {
    n_checks=$((n_checks + 1))
    failed=1
    echo "not ok $n_checks - $1"
    sed 's/^/# /' out err 2>/dev/null | tail -40
}
check() { # check "what" command...
    local what=$1
    shift
    if "$@" >check.log 2>&1; then ok "$what"; else not_ok "$what"; sed 's/^/# /' check.log | tail; fi
}

# heddle ARGS...: runs it; its output is in ./out and ./err, its status in $rc.
heddle() {
    timeout 120 "$HEDDLE" "$@" >out 2>err
    rc=$?
}
# expect STATUS "what" [PATTERN]: status of the last run and a line it printed.
expect() {
    if [ "$rc" != "$1" ]; then
        not_ok "$2 (status $rc instead of $1)"
    elif [ -n "${3-}" ] && ! cat out err | tr '\n' ' ' | grep -Eq -- "$3"; then
        not_ok "$2 (no '$3')"
    else
        ok "$2"
    fi
}

# build NAME [FLAGS...]: compiles NAME.c with instrumentation.
build() {
    local name=$1
    shift
    gcc -g -fsanitize=thread "$name.c" -o "$name" "$@" || { echo "cannot build $name"; exit 1; }
}

# Two threads that add to a counter without a lock; asserts the sum.
racy_c() {
    cat >racy.c <<'END'
#include <assert.h>
#include <pthread.h>
static int counter;
static void *add(void *arg)
{
    for (int i = 0; i < 3; i++)
        counter++;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 6);
    return 0;
}
END
    build racy
}

# The same with a lock.
correct_c() {
    cat >correct.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *add(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter == 6 ? (argc > 1 ? 3 : 0) : 1;
}
END
    build correct
}

finish() { exit $failed; }
