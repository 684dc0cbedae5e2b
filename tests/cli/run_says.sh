#!/usr/bin/env bash
# heddle run names what was not controlled, as heddle test does, and says nothing about
# races that it cannot know after one run.
. "$(dirname "$0")/lib.bash"
cat >child.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return system("true");
}
END
build child
heddle test --runs 5 --strategy random -- ./child
# Whether a run has to wait for its child is real time: only the child is certain.
uncontrolled=$(grep '^heddle: not controlled: .*started another process' err)
check "test names what was not controlled" test -n "$uncontrolled"
heddle run -- ./child
check "run names the same" grep -qxF "$uncontrolled" err
check "... and the first call" grep -q '^heddle: the first call behind it: ' err
heddle run --quiet -- ./child
check "... unless it is to be quiet" test -z "$(grep 'not controlled' err)"

# Two threads that share a variable and nothing else: their race is learned by the run.
cat >plain.c <<'END'
#include <pthread.h>
static int x;
static void *add(void *arg) { x++; return arg; }
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, add, 0);
    x++;
    pthread_join(a, 0);
    return 0;
}
END
build plain
for seed in 1 2 3 4 5; do
    heddle run --seed $seed -- ./plain
    check "seed $seed: run does not call the order fixed" test -z "$(grep 'order is fixed' err)"
done
heddle test --runs 50 --strategy random -- ./plain
expect 0 "test has choices in the same program"
finish
