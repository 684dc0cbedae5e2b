#!/usr/bin/env bash
# Builds over the life of a program: commits, findings of earlier builds, --since, heddle history.
. "$(dirname "$0")/lib.bash"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main . && printf 'out\nerr\ncheck.log\n.heddle\nprog\nv?\n' >.gitignore

# commit N BODY-OF-ADD: the program at that commit, built as ./prog and vN.
commit() {
    printf '/* %s */\n' $(seq "${1#v}") >prog.c # lines move
    cat >>prog.c <<CODE
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, other;
static void *add(void *arg)
{
    $2
    return arg;
}
static void *sub(void *arg)
{
    pthread_mutex_lock(&lock);
    other--;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_create(&c, 0, sub, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(counter == 2);
    return other != -1;
}
CODE
    git add -A && git commit -qm "$1" && git tag "$1"
    build prog && cp prog "$1"
}
good='pthread_mutex_lock(\&lock); counter++; pthread_mutex_unlock(\&lock);'
good=${good//\\/}
bad='int was = counter; counter = was + 1;'

commit v1 "$good"
heddle test --runs 150 --seed 1 -- ./prog
expect 0 "the first commit"
heddle test --runs 20 --since main -- ./v1
expect 0 "another program: nothing of it was tested before" "no build from that commit, or from one before it, was tested with this store"
commit v2 "$bad"
heddle test --runs 200 --seed 1 --since main -- ./prog
expect 66 "a commit with a bug" "a new build: 4 of 5 functions are as they were"
commit v3 "$bad"
heddle test --runs 150 --seed 1 --since v2 -- ./prog
expect 66 "a comment: the finding is replayed first" "assertion-[0-9a-f]* still fails: .*heddle replay"
commit v4 "$good"
heddle test --runs 150 --seed 1 --since main -- ./prog
expect 0 "the repair" "assertion-[0-9a-f]* is fixed: the recorded schedule passes, and so do 24 runs|assertion-[0-9a-f]* cannot be followed from step"
commit v5 "$good"
heddle test --seed 1 --since v1 -- ./prog
expect 0 "since the first commit: nothing is to be tested again" " 0 are to be tested again"
check "and a few runs say so" grep -Eq '^heddle: [1-9] runs? in' err
heddle test --runs 20 --since nothing -- ./prog
expect 0 "a revision that is none" "git knows no such revision"

heddle history
expect 0 "a table" "prog: 5 builds"
check "with commits" grep -q "$(git rev-parse v2 | cut -c1-12)" out
check "and a plot" grep -Eq '^[0-9a-f]{8} \|#+ *\| [0-9]+ F' out
heddle history --svg plot.svg ./prog
expect 0 "as SVG"
check "it is XML" sh -c 'command -v xmllint >/dev/null || exit 0; xmllint --noout plot.svg'
findings=$(ls -d .heddle/findings/assertion-* | wc -l)
heddle history --keep 2
expect 0 "old builds are forgotten" "3 builds forgotten"
heddle history
expect 0 "their findings are not" "prog: 5 builds"
check "all of them" test "$(grep -c ' F' out)" -ge 1 -a "$(ls -d .heddle/findings/assertion-* | wc -l)" = "$findings"
heddle history --keep 2
expect 0 "once" "0 builds forgotten"
cp v1 prog
heddle test --runs 20 --seed 1 -- ./prog
expect 0 "a forgotten build is tested like a new one" "a new build"
heddle history --dir nowhere
expect 99 "no store" "nowhere"

# Each commit in a folder of its own, as cmake -B makes them: --since knows the program by its name.
rm -rf .heddle
mkdir build-1 build-2
commit v6 "$good"
cp prog build-1/prog
heddle test --runs 100 --seed 1 -- build-1/prog
commit v7 "$good"
cp prog build-2/prog
heddle test --seed 1 --since v6 -- build-2/prog
expect 0 "a build in another folder" "since v6: takes over from .*/build-1/prog of commit $(git rev-parse --short=12 v6).* 0 are to be tested again"
check "... and a few runs do" grep -Eq '^heddle: [1-9] runs? in' err
finish
