#!/usr/bin/env bash
# Which accesses become scheduling points: those that race, to the byte or nearly so.
. "$(dirname "$0")/lib.bash"

# Neighbours in an array, and in a struct: no race, however often.
cat >neighbours.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cell[2];
static struct { int a, b; } pair;
static void *work(void *arg)
{
    long me = (long)arg;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2000; i++) {
        cell[me]++;
        if (me)
            pair.a++;
        else
            pair.b++;
    }
    return NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work((void *)1);
    pthread_join(t, NULL);
    return cell[0] + cell[1] + pair.a + pair.b != 8000;
}
END
build neighbours
heddle test --strategy random --seed 1 --runs 40 --json r.json -- ./neighbours
expect 0 "neighbours do not disturb each other"
check "and are no scheduling points" jq -e '.steps / .runs < 100' r.json

# The same memory by accesses of different width: the race is seen either way.
for first in "whole = 0x100000001" "half[0] = 1; half[1] = 1"; do
    cat >widths.c <<END
#include <assert.h>
#include <pthread.h>
static union { unsigned long long all; unsigned half[2]; } u;
#define whole u.all
#define half u.half
static void *work(void *arg)
{
    $first;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    unsigned low = *(volatile unsigned *)&half[0];
    unsigned long long all = *(volatile unsigned long long *)&whole;
    assert((unsigned)all == low);
    pthread_join(t, NULL);
    return 0;
}
END
    build widths
    heddle test --seed 1 --runs 300 -- ./widths
    expect 66 "accesses of different width race: $first"
done

# A goal in a hot loop must not look like a program that hangs.
cat >hot.c <<'END'
#include <pthread.h>
#include <stdlib.h>
enum { N = 200000 };
static int *box;
static pthread_barrier_t b;
static void *work(void *arg)
{
    long me = (long)arg;
    for (int pass = 0; pass < 4; pass++) {
        for (int i = me * N / 2; i < (me + 1) * N / 2; i++)
            box[(i + pass * N / 4) % N] += pass;
        pthread_barrier_wait(&b);
    }
    return NULL;
}
int main(void)
{
    pthread_t t;
    box = calloc(N, sizeof *box);
    pthread_barrier_init(&b, NULL, 2);
    pthread_create(&t, NULL, work, NULL);
    work((void *)1);
    pthread_join(t, NULL);
    return 0;
}
END
build hot
heddle test --seed 1 --runs 40 --json r.json -- ./hot
expect 0 "a kernel over much memory is no hang"

exit $failed
