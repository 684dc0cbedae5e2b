#!/usr/bin/env bash
# A search that was stopped, interrupted or killed goes on where it was; what cannot be used
# of earlier campaigns is said in a sentence, and nothing is deleted.
. "$(dirname "$0")/lib.bash"

for name in lost_update three_updates; do
    gcc -g -fsanitize=thread "$ROOT/tests/target/mini/$name.c" -o $name || exit 1
done
heddle test --strategy dfs --coverage none --fresh --json r.json -- ./lost_update </dev/null
all=$(jq .search.explored r.json)

# A search that was stopped goes on where it was, also with another number of workers.
go_on() { # go_on OPTION...
    heddle test --strategy dfs --coverage none --json r.json "$@" -- ./lost_update </dev/null
}
go_on --runs 60 --fresh
expect 0 "a search that is stopped" "the same command goes on from here"
go_on --runs 60 -j 2
expect 0 "goes on" "[0-9]+ runs of it were done by earlier campaigns"
go_on
expect 0 "to its end" "all $all interleavings explored"
check "which it needs fewer runs for" jq -e ".runs < $all - 90" r.json
go_on --runs 20
expect 0 "one that is over begins again" "search not finished: 1[0-9] interleavings"
go_on --fresh
expect 0 "and so does one that is told to" "all $all interleavings explored"
check "with all of its runs" jq -e ".runs >= $all" r.json
(
    heddle test --strategy dfs --coverage none --fresh --runs 1000000 -- ./three_updates </dev/null
    echo $rc >rc
) &
sleep 1.5
kill -INT "$(pgrep -P "$(pgrep -P $! timeout)" heddle)"
wait
check "Ctrl-C ends it" [ "$(cat rc)" = 98 ]
heddle test --strategy dfs --coverage none --runs 10 -- ./three_updates </dev/null
expect 0 "what was interrupted goes on" "[0-9]+ runs of it were done by earlier campaigns"
cp .heddle/store.db whole.db
LC_ALL=C sed 's/heddle-search 1$/heddle-search 9/' whole.db >.heddle/store.db
check "the row was changed" sh -c '! cmp -s whole.db .heddle/store.db'
heddle test --strategy dfs --coverage none --runs 10 -- ./three_updates </dev/null
expect 0 "a row that was changed is not used" "search not finished: [0-9] interleaving"
check "which is said" grep -q "nothing was continued: .*is damaged" err
heddle test --strategy dfs --coverage none --runs 10 -- ./three_updates </dev/null
expect 0 "and the next campaign goes on again" "[0-9]+ runs of it were done by earlier campaigns"

# Killed: at most the last second is lost.
for wait in 2 4 8; do
    $HEDDLE test --strategy dfs --coverage none --fresh --runs 100000000 -- ./three_updates </dev/null >/dev/null 2>&1 &
    sleep $wait
    kill -KILL $!
    wait $! 2>/dev/null
    heddle test --strategy dfs --coverage none --runs 10 -- ./three_updates </dev/null
    grep -q "[0-9]* runs of it were done by earlier campaigns" out err && break
done
expect 0 "a search that was killed goes on" "[0-9]+ runs of it were done by earlier campaigns"

# Two campaigns in one folder, without coverage: each keeps its own.
$HEDDLE test --strategy dfs --coverage none --fresh --runs 30 -- ./lost_update </dev/null >/dev/null 2>&1 &
heddle test --strategy dpor --coverage none --fresh --runs 20 -- ./three_updates </dev/null
wait
heddle test --strategy dpor --coverage none -- ./three_updates </dev/null
expect 0 "the search of one" "[0-9]+ runs of it were done by earlier campaigns"
go_on --runs 10
expect 0 "and of the other" "[0-9]+ runs of it were done by earlier campaigns"

# Files of an older Heddle are not read, and stay.
rm -rf old
mkdir -p old/search
echo anything >old/search/0123456789abcdef.search
heddle test --dir old --strategy dfs --coverage none --runs 10 -- ./three_updates </dev/null
expect 0 "searches saved by an older Heddle" "old/search holds files of an older Heddle, which this one does not read"
check "stay where they are" test -s old/search/0123456789abcdef.search
heddle test --dir old --strategy dfs --coverage none --runs 10 -- ./three_updates </dev/null
expect 0 "and the new one goes on" "[0-9]+ runs of it were done by earlier campaigns"
check "without a word about them" sh -c '! grep -q "older Heddle" out err'
finish
