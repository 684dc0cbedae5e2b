#!/usr/bin/env bash
# heddle test --reproduce: of two bugs the one that a log, a stack or a test's output tells of.
. "$(dirname "$0")/lib.bash"
cat >two.c <<'C'
#include <assert.h>
#include <pthread.h>
static int first, second;
static void *add(void *arg)
{
    first++;
    second++;
    return arg;
}
static void check_first(void) { assert(first == 2); }
static void check_second(void) { assert(second == 2); }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    check_second();
    check_first();
    return 0;
}
C
build two
find_it() { # find_it FILE SEED ASSERTION
    rm -rf .heddle
    heddle test --no-minimize --seed "$2" --runs 300 --reproduce "$1" -- ./two
    expect 66 "seed $2: $1 is brought about" "The assertion \`$3\` failed"
    check "... and is the last word" grep -q "^The assertion \`$3\`" out
    check "... and no other report" test "$(grep -c '^FINDING' out)" = 1
}
printf 'Nov 17 worker[3]: begin\ntwo: two.c:10: check_first: Assertion `first == 2'"'"' failed.\nAborted\n' >log
printf '#0  __GI_raise (sig=6) at raise.c:50\n#1  0x00007f in abort () at abort.c:79\n#2  0x0000 in check_second () at src/two.c:99\n#3  main () at two.c:20\n' >stack
for seed in 1 2 3; do
    find_it log $seed "first == 2"
    find_it stack $seed "second == 2"
done
printf '#0 nowhere /src/other.c:7 (prog+0x1)\n' >other
heddle test --no-minimize --seed 1 --runs 20 --reproduce other -- ./two
expect 98 "what does not come up is not green" "a failure in nowhere was not brought about in 20 runs"
echo "all is well" >nothing
heddle test --reproduce nothing -- ./two
expect 64 "a log without a failure" "nothing in nothing tells of a failure"
heddle test --reproduce gone -- ./two
expect 64 "a file that is not there" "cannot read gone"
heddle test --reproduce two -- ./two
expect 64 "a program is none" "nothing in two tells of a failure"

# The core of a run that failed: gdb makes one where the kernel's go elsewhere.
sed 's/^    check_second/    second = 3;\n&/' two.c >fails.c
gcc -g -o fails fails.c -pthread
gdb -batch -nx -ex run -ex 'generate-core-file left.core' ./fails >gdb.log 2>&1
check "there is a core" test -s left.core
for seed in 1 2; do find_it left.core $seed "second == 2"; done
head -c 300 left.core >cut.core
heddle test --reproduce cut.core -- ./two
expect 64 "a core that is cut off" "cut.core is a core, and gdb shows no stack"
finish
