#!/usr/bin/env bash
# Mistyped commands, options and strategies; help; HEDDLE_OPTIONS.
. "$(dirname "$0")/lib.bash"
correct_c
heddle
expect 64 "no command" "Usage: heddle COMMAND"
heddle tets
expect 64 "a mistyped command" "did you mean 'test'"
heddle test
expect 64 "no program" "no program: heddle test"
heddle test --rusn 5 -- ./correct
expect 64 "a mistyped option" "did you mean --runs"
heddle test --strategy ptc -- ./correct
expect 64 "a mistyped strategy" "did you mean 'pct'"
heddle test --runs many -- ./correct
expect 64 "a word for a number" "wants a number, not 'many'"
heddle help tset
expect 64 "help for a mistyped command" "did you mean 'test'"
heddle --help
expect 0 "--help" "Commands:"
heddle --version
expect 0 "--version" "^heddle [0-9]+\.[0-9]+"
for c in test run replay; do
    heddle $c --help
    expect 0 "help of $c" "Usage: heddle $c"
    heddle help $c
    expect 0 "help $c" "--timeout"
done
for c in "" $(sed -n 's/^HD_CMD([a-z]*, "\([^"]*\)".*/\1/p' "$ROOT/src/cli/cmd.def"); do
    heddle help $c
    expect 0 "help $c"
    check "help $c fits 80 columns" awk 'length > 80 {exit 1}' out
done
heddle help test
for s in $(sed -n 's/^HD_STRATEGY(\(.*\))/\1/p' "$ROOT/src/strategy/strategy.def"); do
    check "strategy $s is listed" grep -Eq "^  $s( |=)" out
done
HEDDLE_OPTIONS="--runs 7 seed=9" heddle test -v -- ./correct
expect 0 "HEDDLE_OPTIONS" "seed 9, up to 7 runs.*7 runs in"
HEDDLE_OPTIONS="--runs 7" heddle test -v --runs 3 -- ./correct
expect 0 "the command line wins" " 3 runs in"
HEDDLE_OPTIONS="--nonsense" heddle test -- ./correct
expect 64 "nonsense in HEDDLE_OPTIONS" "HEDDLE_OPTIONS: unknown option"
heddle test --json /nonexistent/x.json -- ./correct
expect 99 "a result file that cannot be written" "cannot write /nonexistent/x.json"
heddle test --json - --sarif - -- ./correct
expect 64 "two results on stdout" "only one of"
finish
