#!/usr/bin/env bash
# Strategy tsa: estimates pairs of lock calls, covers them in a few runs, stops when no
# more come, and what is left is shown.
. "$(dirname "$0")/lib.bash"

cat >table.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void put(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
static int get(void)
{
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    return v;
}
static void both(void)
{
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    y = x;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
}
static void clear(void)
{
    pthread_mutex_lock(&n);
    y = 0;
    pthread_mutex_unlock(&n);
    pthread_mutex_lock(&m);
    x = 0;
    pthread_mutex_unlock(&m);
}
static void *a(void *arg) { for (int i = 0; i < 4; i++) put(); get(); return arg; }
static void *b(void *arg) { both(); get(); both(); return arg; }
static void *c(void *arg) { clear(); get(); clear(); return arg; }
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, a, NULL);
    pthread_create(&t[1], NULL, b, NULL);
    pthread_create(&t[2], NULL, c, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
build table

pairs() { jq -c '.coverage.metrics[] | select(.name == "syncpair") | [.covered, .possible]' r.json; }
heddle test --strategy tsa --seed 1 --json r.json -- ./table </dev/null
expect 0 "ends by saturation" "until coverage is saturated"
check "soon, since nothing is left to target" jq -e '.runs >= 8 and .runs < 120' r.json
all=$(pairs)
check "nearly all pairs estimated are covered: $all" jq -ne "$all | .[0] > 15 and .[0] >= .[1] * 0.95"
most=$(jq -n "$all | .[0]")
heddle coverage --metric syncpair
expect 0 "coverage shows covered and estimated" "syncpair +$most +[0-9]+"

# Nothing of it at the beginning: what is left is listed with its lines.
rm -rf .heddle
heddle test --strategy tsa --seed 1 --runs 2 --json r.json -- ./table </dev/null
expect 0 "two runs" "2 runs in"
heddle coverage --metric syncpair
expect 0 "the uncovered ones" "estimated, not covered:.*table.c:[0-9]+ then .*table.c:[0-9]+"
heddle coverage --metric syncpair --json c.json
check "as JSON, too" jq -e '.uncovered[0].sites | length == 2' c.json
n=$(jq '.uncovered | length' c.json)
check "as many as are missing" jq -e ".metrics[0] | .possible - .covered == $n" c.json
heddle test --strategy tsa --seed 2 --runs 40 --json r.json -- ./table </dev/null
check "another campaign goes on with them" jq -e ".coverage.metrics[] | select(.name == \"syncpair\") | .covered >= $most * 0.95" r.json

# Pairs that no run shows are abandoned: the second lock call is made only after the
# first one's thread has seen the third.
cat >data.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state;
static void *a(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        state |= 1;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    state |= 2;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *b(void *arg)
{
    int is_over = 0;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        is_over |= state & 2;
        pthread_mutex_unlock(&m);
    }
    if (is_over) {
        pthread_mutex_lock(&m); /* never directly after the first call of a */
        state = 0;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, a, NULL);
    pthread_create(&t[1], NULL, b, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
build data
rm -rf .heddle
heddle test --strategy tsa --seed 1 --json r.json -- ./data </dev/null
expect 0 "pairs that cannot be" "until coverage is saturated"
check "are no part of the estimate in the end: $(pairs)" jq -ne "$(pairs) | .[0] == .[1]"
heddle coverage --metric syncpair
expect 0 "but counted" "abandoned, since many runs targeted them in vain: [1-9]"
heddle test --strategy tsa --seed 2 --json r.json -- ./data </dev/null
check "and remembered" jq -e '.runs < 60' r.json

# Faster than chance: runs until as much is covered as tsa has at the end.
last() { # last STRATEGY: the run that brought the last new pair
    rm -rf d
    heddle test --strategy "$1" --seed 3 --runs 150 --coverage syncpair --dir d --json r.json -- ./table </dev/null
    heddle coverage --dir d --curve --metric syncpair --json c.json
    jq "[.campaigns[0].curve.syncpair[] | select(.covered >= $most)][0].run // 999" c.json
}
tsa=$(last tsa)
for s in yield=30 sleep10=30 sleep100=30; do
    other=$(last $s)
    check "all pairs after $tsa runs, by $s after $other" [ "$tsa" -lt "$other" ]
done

rm -rf .heddle
heddle test --strategy tsa=2 --seed 1 --runs 50 -j 2 --json r.json -- ./table </dev/null
expect 0 "without rule 3, and with two workers" "strategy tsa=2"
check "covers as well" jq -e ".coverage.metrics[] | select(.name == \"syncpair\") | .covered >= $most * 0.9" r.json
heddle test --strategy tsa --coverage none --runs 5 -- ./table </dev/null
expect 99 "without coverage" "goes by the coverage of synchronization pairs"
heddle test --strategy tsa --coverage race --runs 5 -- ./table </dev/null
expect 99 "with another one" "one with syncpair in it"
finish
