#!/usr/bin/env bash
# A changed function whose code the compiler put into another one: what around it holds (docs/versions.md).
. "$(dirname "$0")/lib.bash"

cat >base.c <<'END'
#include <assert.h>
#include <pthread.h>
#define STEP 1
#define START 1
#define ADD(v) queue[tail++ & 15] = (v)
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int calls, hits, queue[16], head, tail;
static inline void enter(void) { pthread_mutex_lock(&lock); }
static inline void leave(void) { pthread_mutex_unlock(&lock); }
__attribute__((noinline)) static void take(void) { pthread_mutex_lock(&lock); }
static inline void again(void) { take(); }
static inline void note(void)
{
    calls += STEP;
    if (calls > 9)
        calls = 0;
}
static void *work(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        ADD(i + START);
        note();
        pthread_mutex_unlock(&lock);
        enter();
        if (head < tail)
            hits += queue[head++ & 15];
        leave();
        again();
        hits++;
        leave();
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(hits >= 2 && other.__data.__owner == 0);
    return 0;
}
END
build() { # build NAME SED COMMAND: prog.c with this edit, built as ./prog and kept as ./NAME
    sed "$2" base.c >prog.c
    [ -z "$2" ] || ! cmp -s base.c prog.c || { echo "nothing was edited: $2"; exit 99; }
    $cc -g -fsanitize=thread -ffile-prefix-map="$PWD"=. prog.c -o prog && cp prog "$1" || exit 99
}
# holds PATTERN "what": so many elements of the old build hold (1: take() beside itself), others are to be tested again
holds() { expect 0 "$cc: $2" "before: $1 hold, [1-9][0-9]* are to be tested again"; }

by_pieces() { # what is true of each compiler that inlines
    rm -rf .heddle
    build v1 ''
    heddle test --seed 1 --runs 60 -- ./prog
    expect 0 "$cc: the first build" "60 runs"

    # What is inlined has changed, and nothing else.
    for edit in 's/STEP 1/STEP 2/' 's/calls > 9/calls > 8/' 's/calls += STEP/calls ^= STEP/'; do
        build v2 "$edit"
        heddle diff v1 v2
        expect 0 "$cc: $edit: what changed is named" "changed +work at prog.c:[0-9]+: only note\(\) of prog.c:12, inlined there"
        holds '[1-9][0-9]*' "... and the rest holds"
    done
    build v2 '/^static inline void note/i/* Comments.\n\n */'
    heddle diff v1 v2
    expect 0 "$cc: comments" "0 changed.* 0 are to be tested again"

    # What is around it has changed as well, or instead.
    for edit in 's/START 1/START 2/' 's/tail++ & 15/tail++ \& 7/' 's/(head < tail/(tail < head/' \
        '/^        note();/d; s/^        enter();/        note();\n&/' \
        '/^        note();/d; /lock(&lock);$/{n;s/^        ADD/        note();\n&/}' \
        's/STEP 1/STEP 2/; s/START 1/START 2/' 's/hits++/hits--/'; do
        build v2 "$edit"
        heddle diff v1 v2
        holds '[01]' "$edit: all of it counts as changed"
    done

    # What is inlined says what protects the rest.
    for edit in 's/enter(void) { pthread_mutex_lock(&lock)/enter(void) { pthread_mutex_lock(\&other)/' \
        's/enter(void) { pthread_mutex_lock(&lock);/enter(void) {/' \
        's/again(void) { take();/again(void) {/' \
        's/calls += STEP/__atomic_fetch_add(\&calls, STEP, 5)/'; do
        build v2 "$edit"
        heddle diff v1 v2
        holds '[01]' "$edit: locks and atomics count for what is around"
    done
    build v2 's/STEP 1/STEP 2/'
    heddle test --seed 1 --runs 40 -- ./prog
    expect 0 "$cc: the next build" "before [1-9][0-9]* hold, [1-9][0-9]* are to be tested again"
    heddle diff v1 v2
    expect 0 "... diff counts as test does" "$(sed -n 's/.*before \([0-9]* hold, [0-9]* are\).*/\1/p' err)"
}
cc="gcc -O1"
by_pieces
cc="gcc -O2"
by_pieces
if command -v clang >/dev/null && echo 'int main(void) { return 0; }' | clang -shared-libsan -fsanitize=thread -x c - -o /dev/null 2>/dev/null; then
    cc="clang -shared-libsan -O2"
    by_pieces
fi

# Nothing is inlined: a function of its own.
cc="gcc -O0"
rm -rf .heddle
build v1 ''
heddle test --seed 1 --runs 60 -- ./prog
build v2 's/STEP 1/STEP 2/'
heddle diff v1 v2
expect 0 "$cc: the function itself" "changed +note at prog.c"
check "... is not inlined" sh -c '! grep -q inlined out'
holds '[1-9][0-9]*' "... and the rest holds"

# Where the source is gone nothing tells whether a condition around it is the same.
cc="gcc -O1"
rm -rf .heddle
build v1 ''
rm prog.c
heddle test --seed 1 --runs 60 -- ./prog
build v2 's/STEP 1/STEP 2/'
heddle diff v1 v2
holds '[01]' "without the source all of the function counts"

# Stores that are merged and thinned out keep what they know of pieces.
rm -rf .heddle
build v1 ''
heddle test --seed 1 --runs 60 -- ./prog
build v2 's/STEP 1/STEP 2/'
heddle test --dir other --seed 1 --runs 5 -- ./prog
heddle merge --dir other .heddle
heddle diff --dir other v1 v2
holds '[1-9][0-9]*' "a store that was merged"
finish
