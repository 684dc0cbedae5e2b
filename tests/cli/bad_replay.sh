#!/usr/bin/env bash
# Unreadable, foreign, cut, edited, newer and unfitting replay files.
. "$(dirname "$0")/lib.bash"
racy_c
heddle test --seed 1 -- ./racy
file=.heddle/findings/latest/replay.heddle

heddle replay missing.heddle
expect 99 "a missing file" "cannot read missing.heddle"
heddle replay .heddle
expect 99 "a folder" "is a folder"
heddle replay racy.c
expect 99 "a file of another kind" "not a replay file"
: >empty.heddle
heddle replay empty.heddle
expect 99 "an empty file" "is empty"
head -c 500 $file >cut.heddle
heddle replay cut.heddle
expect 99 "a cut file" "cut short"
sed 's/^run .*/run 5/' $file >edited.heddle
heddle replay edited.heddle
expect 99 "an edited file" "checksum"
sed 's/^heddle-replay 5/heddle-replay 9/' $file >newer.heddle
heddle replay newer.heddle
expect 99 "a newer file" "version 9.*use a newer heddle"
heddle replay $file other
expect 64 "two files" "one replay file at a time"
heddle replay
expect 64 "no file" "no replay file"

# Another build: followed by source lines, as far as it goes.
cp racy keep
cp racy.c racy.c.keep
heddle run --seed 1 --dir other -- ./racy
build racy -O1
heddle replay other/last.heddle
expect 99 "another build, no places in the file" "not the build that was recorded.*--force"
heddle minimize $file
expect 99 "minimizing needs the same build" "not the build that was recorded"
heddle replay --gdb $file
expect 99 "so does the debugger" "not the build that was recorded"
sed -i -e '1i /* a line more */' -e 's/^static int counter;/static long unused, also_unused;\n&/' racy.c
build racy
heddle replay $file
expect 66 "lines added elsewhere" "another build.*all|another build.* ([0-9]+) of the \1 places"
expect 66 "the whole schedule is followed" "followed ([0-9]+) of \1 steps"
expect 66 "and it fails as it did" "failed as recorded, 1 of 1"
check "the report has the new line" grep -q 'racy.c:9' out
sed -i 's/^    pthread_create(&b/    pthread_join(a, 0);\n&/' racy.c
build racy
heddle replay $file
expect 98 "a build that differs says where" \
    "followed [0-9]+ of [0-9]+ steps; it left the schedule at step [0-9]+: wanted thread [0-9]+.*, found thread [0-9]+ at racy.c:[0-9]+ in (add|main)"
expect 98 "and how it ended" "did not end as recorded: 'clean' instead of 'assert'"
sed -i 's/add/sum/g' racy.c
build racy
heddle replay $file
expect 98 "a function of another name is another function" "were found in it by their source lines"
cp racy.c.keep racy.c
cp keep racy
heddle replay $file
expect 66 "the old build again"
rm racy
heddle replay $file
expect 99 "the program is gone" "racy is gone"

# A program whose course depends on a file that changed since.
cat >depends.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int counter, extra;
static void *add(void *arg)
{
    for (int i = 0; i < 2 + extra; i++)
        counter++;
    return arg;
}
static void *more(void *arg)
{
    counter += 100;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    FILE *f = fopen("switch", "r");
    extra = f ? 3 : 0;
    pthread_create(&a, 0, extra ? more : add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 4);
    return 0;
}
END
build depends
heddle test --seed 1 --dir d -- ./depends
expect 66 "a program that reads a file"
touch switch
heddle replay d/findings/latest/replay.heddle
expect 98 "a run that cannot follow" "left the recorded schedule at step [0-9]+ .*wanted thread [0-9]+ at .*depends.c:[0-9]+.*found .*at "
finish
