#!/usr/bin/env bash
# Parameters of the papers' methods: each does what it says. docs/papers.md.
. "$(dirname "$0")/lib.bash"
export HEDDLE_OPTIONS="--no-race"

# One function called from two places, and two events of a thread far apart.
cat >far.c <<'END2'
#include <pthread.h>
#define OWN __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y, z;
OWN static void set(volatile int *p, int v)
{
    pthread_mutex_lock(&m);
    *p = v;
    pthread_mutex_unlock(&m);
}
OWN static void first(void) { set(&x, 1); }
OWN static void second(void) { set(&y, 1); }
static void *writer(void *arg)
{
    first();
    for (int i = 0; i < 20; i++)
        set(&z, i);
    second();
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END2
gcc -g -O0 -fsanitize=thread -o far far.c

campaign() { rm -rf .heddle; heddle test -q --seed 3 --runs 60 --json r.json "$@" -- ./far </dev/null; }

covered() { jq ".coverage.metrics[] | select(.name == \"$1\").covered" r.json; }
compound() { jq '[.drive.by_idiom[] | .predicted] | add' r.json; }
campaign
wide=$(compound)
campaign --window 2
check "--window: events far apart make no order ($(compound) of $wide)" test "$(compound)" -lt "$wide"
campaign --window 0
expect 64 "--window 0" "--window wants at least 1"

campaign --strategy random --coverage hapset
deep=$(covered hapset)
campaign --strategy random --coverage hapset --context 0
check "--context 0: a line is a line ($(covered hapset) of $deep)" test "$(covered hapset)" -lt "$deep"
campaign --context 17
expect 64 "--context 17" "from 0 to 16"

campaign --strategy tsa
check "tsa says which rule let calls go" jq -e '.tsa.by_rule | length == 3 and add > 0' r.json
check "a line has a slope and an r squared" jq -e '.coverage.metrics[] | select(.name == "syncpair") |
    .slope >= 0 and .r2 >= 0 and .r2 <= 1' r.json
