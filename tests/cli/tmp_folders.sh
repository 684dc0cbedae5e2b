#!/usr/bin/env bash
# Heddle removes and overwrites nothing but what it made itself, whatever names its
# files hold; leftovers of killed campaigns do not stop a later one and go away.
. "$(dirname "$0")/lib.bash"

cp "$ROOT"/examples/echo_server/*.c "$ROOT"/examples/echo_server/test.toml .
build echo_server
gcc -g echo_client.c -o echo_client
racy_c
latest=.heddle/findings/latest
mkdir tmpdir precious
export TMPDIR=$PWD/tmpdir
fill() { mkdir -p precious/sub && echo 1 >precious/a && echo 2 >precious/sub/b; }
is_there() { [ "$(cat precious/a precious/sub/b 2>/dev/null | tr -d '\n')" = 12 ]; }
in_tmp() { ls -A tmpdir | wc -l; }
fill

# ---- the folder that script.run names -----------------------------------------------------
heddle test --script test.toml --seed 1 --strategy random two
expect 66 "a finding of a scripted run"
check "nothing is left in the temporary folder" test "$(in_tmp)" = 0
cp $latest/script.run script.run.keep
recorded=$(sed -n 's/^tmp = "\(.*\)"$/\1/p' script.run.keep)

# names TMP: script.run names another folder.
names() { sed "s|^tmp = .*|tmp = \"$1\"|" script.run.keep >$latest/script.run; }
# as_foreign: replay of a folder that was changed.
as_foreign() { heddle replay --trust "$@" $latest/replay.heddle; }
names "$PWD/precious"
as_foreign
check "a folder of the user's is not removed by replay" is_there
heddle minimize --trust --time 1s -o small.heddle $latest/replay.heddle # leaves the folder as it is
check "... nor by minimize" is_there
fill
names "$TMPDIR/heddle-1-0"
mkdir tmpdir/heddle-1-0
echo 1 >tmpdir/heddle-1-0/a
as_foreign
check "... nor one with a name like ours" test -e tmpdir/heddle-1-0/a
rm -r tmpdir/heddle-1-0
mkdir -p tmpdir/heddle-abcdef/tmp
echo 1 >tmpdir/heddle-abcdef/tmp/a
names "$TMPDIR/heddle-abcdef/tmp"
as_foreign
check "... nor one with exactly such a name" test -e tmpdir/heddle-abcdef/tmp/a
rm -r tmpdir/heddle-abcdef
ln -s "$PWD/precious" tmpdir/heddle-abcdef
as_foreign
check "... nor through a link" is_there
rm tmpdir/heddle-abcdef
mkdir tmpdir/heddle-abcdef
ln -s "$PWD/precious" tmpdir/heddle-abcdef/tmp
as_foreign
check "... nor through a link in it" is_there
rm -r tmpdir/heddle-abcdef
names "$TMPDIR/../precious"
as_foreign
check "... nor by .." is_there
names ""
as_foreign
names "$PWD/made/heddle-abcdef/tmp"
as_foreign
check "no folder is made elsewhere" test ! -e made
cp script.run.keep $latest/script.run
heddle replay $latest/replay.heddle
expect 66 "the folder as recorded" "failed as recorded"
check "is gone again" test ! -e "$recorded"

# ---- leftovers ------------------------------------------------------------------------------
cat >long.toml <<'TOML'
[program]
path = "./echo_server"
args = ["${port}"]
[setup]
command = "mkdir -p $HEDDLE_TMP/x/y; touch $HEDDLE_TMP/x/y/z; chmod 0 $HEDDLE_TMP/x; ln -s ../../../precious $HEDDLE_TMP/link"
[ready]
tcp = "${port}"
[drive]
command = "sleep 30"
TOML
"$HEDDLE" test --script long.toml >out 2>err &
pid=$!
for _ in $(seq 100); do ls tmpdir/heddle-*/tmp/link >/dev/null 2>&1 && break; sleep 0.1; done
check "one folder while it runs" test "$(in_tmp)" = 1
mkdir -p tmpdir/heddle-1-0 tmpdir/heddle-zzzzzz/sub # not ours: no mark, or another's
cp -r tmpdir/heddle-zzzzzz tmpdir/heddle-yyyyyy
cp tmpdir/heddle-*/owner tmpdir/heddle-yyyyyy/owner
chmod 700 tmpdir/heddle-[yz]*
heddle test --script test.toml --runs 2 --seed 1 --strategy random two
check "the folder of one that runs stays" test "$(ls -d tmpdir/heddle-*/tmp | wc -l)" = 1
kill -KILL $pid
wait $pid 2>/dev/null
sleep 0.3
check "a killed one leaves its folder" test "$(ls -d tmpdir/heddle-*/tmp | wc -l)" = 1
heddle test --script test.toml --runs 2 --seed 1 --strategy random two
check "the next one removes it" test "$(ls -d tmpdir/heddle-*/tmp 2>/dev/null | wc -l)" = 0
check "a folder without our mark stays" test -d tmpdir/heddle-zzzzzz/sub
check "a folder with a copy of another's mark stays" test -d tmpdir/heddle-yyyyyy/sub
check "and an old one with a process number" test -d tmpdir/heddle-1-0
check "what a link in it named is untouched" is_there
rm -rf tmpdir/*

# A program that puts a link in the place of its folder.
cat >trick.c <<'CODE'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *add(void *arg) { x++; return arg; }
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return rmdir(argv[1]) || symlink(argv[2], argv[1]);
}
CODE
build trick
cat >trick.toml <<TOML
[program]
path = "./trick"
args = ["\${tmp}", "$PWD/precious"]
[options]
runs = 4
strategy = "random"
TOML
heddle test --script trick.toml
check "a program that makes its folder a link" is_there
check "... leaves nothing else" test "$(in_tmp)" = 0

# ---- findings ---------------------------------------------------------------------------------
heddle test --seed 1 --dir d -- ./racy
id=$(readlink d/findings/latest)
echo mine >d/findings/$id/notes.txt
for i in $(seq 400); do ln -s "$PWD/precious" d/findings/.tmp-$(($$ + i)) 2>/dev/null; done
heddle test --seed 1 --dir d -- ./racy
expect 66 "the same finding again"
check "notes of the user's in its folder stay" grep -q mine d/findings/$id/notes.txt
for i in $(seq 400); do ln -s "$PWD/precious" d/findings/$id/.tmp-$(($$ + i)) 2>/dev/null; done
heddle minimize --time 1s d/findings/$id/replay.heddle
check "links that look like our temporary folders" is_there
echo 1 | "$HEDDLE" run --seed 2 --dir r -- ./racy >out 2>err
rm -f r/last.stdin r/last.heddle
ln -s "$PWD/precious/a" r/last.stdin
ln -s "$PWD/precious/sub/b" r/last.heddle
(umask 022; echo secret | "$HEDDLE" run --seed 2 --dir r -- ./racy >out 2>err)
check "run does not write through links" is_there
check "and its copy of the input is for the user alone" test "$(stat -c %a r/last.stdin)" = 600
(umask 022; echo secret | "$HEDDLE" test --seed 1 --dir s -- ./racy >out 2>err)
check "so is that of a finding" test "$(stat -c %a s/findings/latest/stdin)" = 600
check "and the schedule" test "$(stat -c %a s/findings/latest/replay.heddle)" = 600
finish
