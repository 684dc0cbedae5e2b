#!/usr/bin/env bash
# Suppressions: hidden findings, unused lines, damaged files, HEDDLE_OPTIONS.
. "$(dirname "$0")/lib.bash"
racy_c
correct_c
heddle test --seed 1 --runs 300 --json r.json -- ./racy
id=$(jq -r '.findings[0].id' r.json)
expect 66 "without" "To suppress: the line finding:$id"
rm -rf .heddle

printf '# known\nfinding:%s\nrace:never_called\n' "$id" >a.supp
heddle test --seed 1 --runs 300 --json r.json --suppressions a.supp -- ./racy
expect 0 "by id" " 300 runs in .*0 findings"
check "nothing is printed" test ! -s out
check "nothing is saved" test ! -e .heddle/findings
check "it is counted" jq -e '.suppressed > 0 and .suppressions[0].used == .suppressed' r.json
expect 0 "used ones are listed" "suppressed [0-9]+ times? by finding:$id \(a.supp:2\)"
expect 0 "unused ones are listed" "suppression not used: race:never_called \(a.supp:3\)"
for line in 'race:^add$' 'race:racy.c' 'race:^counter$' 'race:*ad*' 'called_from_lib:racy' 'race_top:main'; do
    echo "$line" >b.supp
    heddle test --seed 1 --runs 60 --suppressions b.supp -- ./racy
    expect 0 "by $line" "0 findings"
done
for line in 'race:^ad$' 'deadlock:add' 'mutex:add' 'signal:add' 'thread:add' 'called_from_lib:libz'; do
    echo "$line" >b.supp
    heddle test -q --seed 1 --runs 300 --no-minimize --suppressions b.supp -- ./racy
    expect 66 "not by $line"
done
HEDDLE_OPTIONS="suppressions=a.supp:runs=60" heddle test -v --seed 1 -- ./racy
expect 0 "in HEDDLE_OPTIONS, as in TSAN_OPTIONS" " 60 runs in .*0 findings"
heddle run --seed 1 --suppressions a.supp -- ./racy
expect 0 "run"

bad() { # bad "what" PATTERN; the file is bad.supp
    heddle test --suppressions bad.supp -- ./correct
    expect 64 "$1" "$2"
}
printf 'race:a\n\nrase:b\n' >bad.supp
bad "an unknown type" "bad.supp:3: unknown type 'rase'"
printf 'race:a\nhello\n' >bad.supp
bad "no colon" "bad.supp:2: 'hello' is no suppression"
printf 'race:\n' >bad.supp
bad "no pattern" "bad.supp:1: the pattern after 'race:' is missing"
head -c 2000 /dev/urandom >bad.supp
bad "a binary file" "bad.supp:[0-9]+: "
rm bad.supp
bad "a missing file" "cannot read the suppressions bad.supp"
mkdir bad.supp
bad "a folder" "cannot read the suppressions bad.supp"
heddle test --seed 1 --runs 20 --suppressions a.supp -- ./correct
expect 0 "a correct program" "suppression not used: finding:"

cat >leak.c <<'END'
#include <pthread.h>
static int x;
static void *work(void *arg) { __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); return arg; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    return 0;
}
END
build leak
heddle test --seed 1 --runs 20 -- ./leak
expect 0 "a thread nobody joins" "note: a thread created at leak.c:8"
echo 'thread:^main$' >t.supp
heddle test --seed 1 --runs 20 --suppressions t.supp -- ./leak
expect 0 "thread: hides the note" "suppressed [0-9]+ times? by thread:"
check "it is gone" bash -c '! grep -q note: err'
finish
