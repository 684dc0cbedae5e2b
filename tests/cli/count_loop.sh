#!/usr/bin/env bash
# A loop that counts on its own stack waits for nobody: it is not made to give way, so that
# what comes after it may come first. One that polls its own stack is, whoever writes there.
. "$(dirname "$0")/lib.bash"

cat >count.c <<'CODE'
#include <assert.h>
#include <pthread.h>
static int is_open = 1;
static int seen = 1;
static __attribute__((noinline)) void count(volatile int *i)
{
    for (*i = 0; *i < 60000; ++*i)
        ;
}
static void *worker(void *arg)
{
    seen = __atomic_load_n(&is_open, __ATOMIC_SEQ_CST);
    return arg;
}
static void *closer(void *arg)
{
    volatile int i;
    count(&i);
    __atomic_store_n(&is_open, 0, __ATOMIC_SEQ_CST);
    return arg;
}
int main(void)
{
    pthread_t w, c;
    pthread_create(&w, 0, worker, 0);
    pthread_create(&c, 0, closer, 0);
    pthread_join(w, 0);
    pthread_join(c, 0);
    assert(seen);
    return 0;
}
CODE
build count -O1
for strategy in random pct pos; do
    heddle test --seed 1 --runs 100 --strategy $strategy --no-minimize -- ./count
    expect 66 "the thread that counts first comes first, by $strategy" "seen. failed"
done

cat >poll.c <<'CODE'
#include <pthread.h>
static __attribute__((noinline)) int is_set(volatile int *flag) { return *flag; }
static void *setter(void *arg)
{
    *(volatile int *)arg = 1;
    return 0;
}
int main(void)
{
    volatile int flag = 0, tries = 0, *n = &tries;
    pthread_t t;
    pthread_create(&t, 0, setter, (void *)&flag);
    while (!is_set(&flag))
        ++*n;
    pthread_join(t, 0);
    return 0;
}
CODE
build poll -O1
heddle test --seed 1 --runs 60 --strategy pct -- ./poll
expect 0 "a flag on the stack of the thread that polls it"
finish
