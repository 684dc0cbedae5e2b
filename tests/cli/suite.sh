#!/usr/bin/env bash
# heddle suite: inputs by a file or a folder; which are chosen, which are left out and why.
. "$(dirname "$0")/lib.bash"

# First letter of the input: which two functions run at the same time.
cat >prog.c <<'CODE'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b, lost;
#define LOCKED(name, what) \
    static void *name(void *arg) \
    { \
        for (int i = 0; i < 2; i++) { \
            pthread_mutex_lock(&lock); \
            what; \
            pthread_mutex_unlock(&lock); \
        } \
        return arg; \
    }
LOCKED(add, a++)
LOCKED(sub, a--)
LOCKED(mul, b = 2 * b + 1)
static void *lose(void *arg)
{
    int was = lost;
    lost = was + 1;
    return arg;
}
static void both(void *(*f)(void *), void *(*g)(void *))
{
    pthread_t x, y;
    pthread_create(&x, 0, f, 0);
    pthread_create(&y, 0, g, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
}
int main(int argc, char **argv)
{
    char text[64] = "";
    FILE *from = argc > 1 && argv[1][0] == '/' ? fopen(argv[1], "r") : stdin;
    if (argc > 1 && argv[1][0] != '/')
        snprintf(text, sizeof text, "%s", argv[1]);
    else if (!from || !fgets(text, sizeof text, from))
        return 2;
    if (getenv("MORE"))
        strcat(text, getenv("MORE"));
    for (char *p = text; *p; p++)
        switch (*p) {
        case 'a': both(add, sub); break;
        case 'm': both(add, mul); break;
        case 'l': lost = 0; both(lose, lose); assert(lost == 2); break;
        case 's': for (;;) usleep(1000);
        case 'x': fprintf(stderr, "no such thing as x\n"); return 3;
        }
    return 0;
}
CODE
build prog
mkdir inputs
printf a >inputs/1-a
printf am >inputs/2-am
printf m >inputs/3-m
printf l >inputs/4-l
printf x >inputs/5-x
printf q >inputs/6-q

heddle suite --seed 1 --no-minimize --runs 120 inputs -- ./prog
expect 66 "a folder of inputs: a finding" "4-l .*runs: The assertion .lost == 2. failed"
expect 66 "an input that others show all of is left out" "1-a .* left out: 2-am shows all of it"
expect 66 "and so is the other one" "3-m .* left out: 2-am shows all of it"
expect 66 "one that fails by itself is named" "5-x .* left out: fails by itself, before it has a second thread: no such thing as x"
expect 66 "one without threads is named" "6-q .* left out: never has a second thread"
expect 66 "the sums" "6 inputs: 4 can be tested, 1 have one thread only, 1 cannot be used"
expect 66 "what was chosen" "2 chosen, 2 tested: .* 1 finding"

heddle suite --seed 1 --no-minimize --runs 120 inputs -- ./prog
expect 66 "again: what was found is known" "4-l .*found before: The assertion"
check "the same schedule gives the same run" sh -c '! grep differs out'
expect 66 "... and so are the cheap runs that can be used" "5 of the cheap runs were made before"
expect 66 "... the others are made again" "5-x .* left out: fails by itself"
cp inputs/1-a was
printf aa >inputs/1-a
heddle suite --profile --json r.json inputs -- ./prog
check "an input that changed is run again" jq -e '[.inputs[] | select(.profile_known | not) | .name] == ["1-a", "5-x"]' r.json
cp was inputs/1-a
heddle suite --profile --no-memory --json r.json inputs -- ./prog
check "without memory all are" jq -e 'all(.inputs[]; .profile_known | not)' r.json
heddle suite --seed 1 --no-minimize --runs 60 --dir other --json r.json --junit r.xml inputs -- ./prog '{}'
expect 66 "a path in the place of {}" "4-l .*runs: The assertion .lost == 2. failed"
check "JSON has all inputs" test "$(jq '.inputs | length' r.json)" = 6

cat >suite.toml <<'TOML'
program = "./prog"
timeout = "1s"
[[input]]
name = "lost"
args = ["a"]
env = { MORE = "l" }
[[input]]
name = "endless"
args = ["s"]
[[input]]
name = "stdin"
stdin = "inputs/2-am"
[[input]]
name = "missing"
program = "./nothing"
TOML
mkdir elsewhere
cd elsewhere || exit 1
heddle suite --seed 1 --no-minimize --runs 90 --jobs 2 --dir ../toml --junit ../r.xml ../suite.toml
expect 66 "a file of inputs, from another folder" "lost .*The assertion .lost == 2. failed"
expect 66 "an input that never ends is named" "endless .* left out: did not end within its time"
expect 66 "a program that is missing is named" "missing .* left out: .*nothing"
cd .. || exit 1
cp elsewhere/out elsewhere/err .
check "JUnit: a case for each input" test "$(grep -c '<testcase ' r.xml)" = 4
check "JUnit: one failed, two skipped" grep -q 'tests="4" failures="1" errors="0" skipped="2"' r.xml
replay=$(ls -d toml/findings/*/replay.heddle | head -1)
heddle replay "$replay"
expect 66 "the environment of an input is part of the schedule" "lost == 2"

# An input by a script: what was found is known, too.
printf '[program]\npath = "./prog"\n[[input]]\nname = "lost"\nargs = ["l"]\n' >test.toml
printf '[[input]]\nname = "scripted"\nscript = "test.toml"\n' >scripted.toml
heddle suite --seed 1 --no-minimize --runs 60 --dir scripted scripted.toml
expect 66 "an input by a script" "scripted .*runs: The assertion .lost == 2. failed"
heddle suite --seed 1 --no-minimize --runs 60 --dir scripted scripted.toml
expect 66 "... again" "scripted .*found before: The assertion"
expect 66 "... without its cheap run" "1 of the cheap runs were made before"

# The same two functions at the same time, by another path: the second input is worth it.
cat >paths.c <<'CODE'
#include <pthread.h>
#include <stdlib.h>
static int mode, a, b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    a++;
    if (mode == 2)
        b++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t x, y;
    mode = atoi(argv[1]);
    pthread_create(&x, 0, work, 0);
    pthread_create(&y, 0, work, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    return 0;
}
CODE
gcc -g -O1 -fsanitize=thread paths.c -o paths || exit 99
printf 'program = "./paths"\n[[input]]\nname = "one"\nargs = ["1"]\n[[input]]\nname = "again"\nargs = ["3"]\n[[input]]\nname = "other"\nargs = ["2"]\n' >paths.toml
heddle suite --profile --json r.json paths.toml
expect 0 "inputs that take other paths"
check "the one with most is chosen, and no other" jq -e '[.inputs[] | select(.chosen) | .name] == ["other"]' r.json
sed -i '/name = "other"/,$d' paths.toml
printf 'name = "left"\nargs = ["2"]\n[[input]]\nname = "right"\nargs = ["4"]\n' >>paths.toml
sed -i 's/if (mode == 2)/if (mode == 4)\n        b--;\n    if (mode == 2)/' paths.c
gcc -g -O1 -fsanitize=thread paths.c -o paths || exit 99
heddle suite --profile --json r.json paths.toml
expect 0 "two that take different ones"
check "both are chosen" jq -e '[.inputs[] | select(.chosen) | .name] == ["left", "right"]' r.json
check "... the second for its path alone" jq -e '[.inputs[] | select(.chosen)] | map(.new_pairs > 0) | sort == [false, true]' r.json
check "... and with a smaller share" jq -e '[.inputs[] | select(.chosen) | .weight] | min < 1 and max == 1' r.json

# An input whose second run is another one: it leaves something behind.
cat >differs.c <<'CODE'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t x[2];
    FILE *f = fopen("left", "a+");
    fseek(f, 0, SEEK_END);
    int more = ftell(f) % 2;
    fputc('x', f);
    fclose(f);
    for (int i = 0; i < 2; i++)
        pthread_create(&x[i], 0, work, 0);
    if (more)
        work(0);
    for (int i = 0; i < 2; i++)
        pthread_join(x[i], 0);
    return 0;
}
CODE
gcc -g -O1 -fsanitize=thread differs.c -o differs || exit 99
printf 'program = "./differs"\n[[input]]\nname = "it"\n' >differs.toml
heddle suite --profile --json r.json differs.toml
expect 0 "an input that differs between runs is named" "differs between runs of the same schedule"
check "... in JSON, too" jq -e '.inputs[0].differs' r.json

# Atomic operations are no steps of a cheap run, but who waits on one by looping gives way.
cat >atomics.c <<'CODE'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready, go, n;
static void *work(void *arg)
{
    ready++;
    while (!go)
        ;
    for (int i = 0; i < 100000; i++)
        n++;
    return arg;
}
int main(void)
{
    pthread_t x, y;
    pthread_create(&x, 0, work, 0);
    pthread_create(&y, 0, work, 0);
    while (ready < 2)
        ;
    go = 1;
    pthread_join(x, 0);
    pthread_join(y, 0);
    return n != 200000;
}
CODE
gcc -g -O1 -fsanitize=thread atomics.c -o atomics || exit 99
printf 'program = "./atomics"\ntimeout = "20s"\n[[input]]\nname = "it"\n' >atomics.toml
heddle suite --profile --json r.json atomics.toml
expect 0 "hot atomics, and waiting on one" "1 can be tested"
check "few of them are steps: $(jq '.inputs[0].profile_events' r.json)" jq -e '.inputs[0].profile_events < 5000' r.json

# Races under chosen inputs: those of the first are not brought about again under the second.
printf 'program = "./prog"\n[[input]]\nname = "one"\nargs = ["l"]\n[[input]]\nname = "two"\nargs = ["al"]\n' >races.toml
HEDDLE_OPTIONS= heddle suite --races --every-input --seed 1 --no-minimize --runs 40 --dir races --json r.json races.toml
expect 66 "races of a suite" "one .*runs"
check "what races is listed" jq -e 'all(.inputs[]; .races | any(test("lose@prog.c")))' r.json
check "one input brings it about" jq -e '.inputs[0].race_runs + .inputs[1].race_runs > 0' r.json
check "... the other does not" jq -e '.inputs | map(.race_runs) | min == 0' r.json
HEDDLE_OPTIONS= heddle suite --races --every-input --no-memory --seed 1 --no-minimize --runs 40 --dir races --json r.json races.toml
check "without memory each does, though the store knows" jq -e '.inputs | map(.race_runs) | min > 0' r.json

# The same functions and paths, and another number of threads: an input that was not chosen is looked at for races.
cat >number.c <<'CODE'
#include <pthread.h>
#include <stdlib.h>
static int slot[2];
static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *work(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&lock[i]);
    slot[i % 2]++;
    pthread_mutex_unlock(&lock[i]);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t x[3];
    int n = argc - 1;
    for (long i = 0; i < n; i++)
        pthread_create(&x[i], 0, work, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(x[i], 0);
    return 0;
}
CODE
gcc -g -O1 -fsanitize=thread number.c -o number || exit 99
printf 'program = "./number"\n[[input]]\nname = "two"\nargs = ["a", "b"]\n[[input]]\nname = "three"\nargs = ["a", "b", "c"]\n' >number.toml
HEDDLE_OPTIONS= heddle suite --seed 1 --no-minimize --runs 20 --dir number --json r.json number.toml
check "pairs and paths say that one is enough" jq -e '[.inputs[] | select(.chosen) | .name] == ["two"]' r.json
check "... and without --races no other is run" jq -e '[.inputs[] | select(.tested) | .name] == ["two"]' r.json
HEDDLE_OPTIONS= heddle suite --races --seed 1 --no-minimize --runs 20 --dir number --json r.json number.toml
expect 66 "an input that was not chosen shows a race" "three .*not chosen, .* runs: .*slot"
check "... and no other input does" jq -e '[.inputs[] | select(.races != []) | .name] == ["three"]' r.json
check "... in few runs: $(jq '.inputs[1].runs' r.json)" jq -e '.inputs[1].look and .inputs[1].runs <= 24' r.json
HEDDLE_OPTIONS= heddle suite --races --seed 1 --no-minimize --strategy random --runs 20 --dir number2 --json r.json number.toml
check "a strategy that was asked for is the only one" jq -e 'all(.inputs[]; .look | not)' r.json

# What two threads do at memory that they share under one input alone, and at another place in nearly each run: a run that shows
# for the first time that a place is shared is followed once more, so one that comes but once is seen as well (without
# that seven places by these seeds).
cat >meet.c <<'CODE'
#include <pthread.h>
static volatile int a[8], b[8], *with;
static int taken, done, first = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int come(int is_first)
{
    pthread_mutex_lock(&lock);
    if (is_first)
        taken++;
    else if (first < 0)
        first = taken;
    pthread_mutex_unlock(&lock);
    return 0;
}
static void put(volatile int *v, int at)
{
    switch (at) {
    case 0: v[0] = 1; break;
    case 1: v[1] = 2; break;
    case 2: v[2] = 3; break;
    case 3: v[3] = 4; break;
    case 4: v[4] = 5; break;
    case 5: v[5] = 6; break;
    case 6: v[6] = 7; break;
    }
}
static int get(volatile int *v, int at)
{
    switch (at) {
    case 0: return v[0];
    case 1: return v[1] + 1;
    case 2: return v[2] + 2;
    case 3: return v[3] + 3;
    case 4: return v[4] + 4;
    case 5: return v[5] + 5;
    case 6: return v[6] + 6;
    }
    return 0;
}
static void *one(void *arg)
{
    for (int i = 0; i < 6; i++)
        come(1);
    pthread_mutex_lock(&lock);
    int at = first;
    pthread_mutex_unlock(&lock);
    put(a, at);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}
static void *two(void *arg)
{
    come(0);
    int is_done = 0, at = 0;
    for (int i = 0; i < 30 && !is_done; i++) {
        pthread_mutex_lock(&lock);
        is_done = done;
        at = first;
        pthread_mutex_unlock(&lock);
    }
    if (is_done)
        get(with, at);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t x[3];
    with = argc > 1 && argv[1][0] == 's' ? a : b;
    pthread_create(&x[0], 0, one, 0);
    pthread_create(&x[1], 0, two, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(x[i], 0);
    return 0;
}
CODE
gcc -g -O1 -fsanitize=thread meet.c -o meet || exit 99
printf 'program = "./meet"\n[[input]]\nname = "apart"\nargs = ["a"]\n[[input]]\nname = "same"\nargs = ["s"]\n' >meet.toml
places=0
for seed in 1 2 3 4; do
    HEDDLE_OPTIONS= heddle suite -q --races --seed $seed --no-minimize --runs 10 --dir meet.$seed --json r.json meet.toml
    places=$((places + $(jq '.inputs[1] | select(.look) | .races | length' r.json)))
done
check "a look sees what comes but once: $places places" [ "$places" -ge 12 ]

printf 'program = "./prog"\n[[input]]\nnam = "a"\n' >bad.toml
heddle suite bad.toml
expect 64 "a mistake has its line" "bad.toml:3: unknown key 'nam'"
printf 'program = "./prog"\n[[input]]\nname = "a"\n[[input]]\nname = "a"\n' >bad.toml
heddle suite bad.toml
expect 64 "two inputs of one name" "bad.toml:4: two inputs are called 'a'"
cat >fails.c <<'CODE'
#include <pthread.h>
#include <unistd.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *body(void *of)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return of;
}
static void more(void) { pthread_mutex_lock(&m); x += 2; pthread_mutex_unlock(&m); }
int main(int argc, char **argv)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, body, argv[0]);
    if (argc > 1)
        more();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return argc > 1 ? 3 : 0;
}
CODE
gcc -g -O1 -fsanitize=thread fails.c -o fails || exit 99
printf 'program = "./fails"\n[[input]]\nname = "bad"\nargs = ["bad"]\n[[input]]\nname = "good"\n' >fails.toml
heddle suite --seed 1 --no-minimize --runs 20 --dir fails.dir fails.toml
expect 66 "one that always fails is reported" "bad .*status 3"
expect 66 "and leaves no other out" "good .* runs: nothing found"

heddle suite inputs
expect 64 "a folder needs a program" "no program"
heddle suite
expect 64 "no inputs" "no inputs"
finish
