#!/usr/bin/env bash
# What people expect of a command: options of a project in heddle.toml, TSAN_OPTIONS, .gitignore,
# completions, man pages, a program that was moved.
. "$(dirname "$0")/lib.bash"
correct_c
racy_c

# heddle.toml
mkdir -p proj/.git proj/sub
cat >proj/heddle.toml <<'END'
dir = "kept"
[test]
runs = 7
seed = 9
keep-going = true
exit-ok = [3, 4]
[replay]
times = 2
END
cp correct racy proj/sub/
tool() { (cd "$1" && shift && timeout 120 "$HEDDLE" "$@") >out 2>err; rc=$?; }
tool proj/sub test -- ./correct 1
expect 0 "heddle.toml in a folder above" "options from .*/proj/heddle.toml.*seed 9, up to 7 runs.*7 runs in"
check "folders are relative to it" test -e proj/kept/store.db
tool proj/sub test --runs 3 -- ./correct 1
expect 0 "the command line wins" " 3 runs in"
HEDDLE_OPTIONS="--verbose --runs 4" tool proj/sub test -- ./correct 1
expect 0 "HEDDLE_OPTIONS wins" " 4 runs in"
HEDDLE_CONFIG='' tool proj/sub test --runs 3 -- ./correct 1
expect 66 "HEDDLE_CONFIG= does without"
tool proj/sub test --runs 50 --seed 1 -- ./racy
expect 66 "a finding"
tool proj/sub replay ../kept/findings/latest/replay.heddle
expect 66 "options of another command" "2 of 2 times"
bad() { # bad TEXT "what" PATTERN
    printf '%b' "$1" >proj/heddle.toml
    tool proj test -- ./sub/correct
    expect 64 "$2" "$3"
}
bad 'rusn = 5\n' "a mistyped key" "heddle.toml:1: unknown key 'rusn': did you mean 'runs'"
bad '\n[tset]\nruns = 5\n' "a mistyped command" "heddle.toml:2: unknown key 'tset': did you mean 'test'"
bad '[replay]\nruns = 5\n' "an option of another command" "heddle.toml:2: unknown key 'runs'"
bad 'runs = "many"\n' "a wrong value" "heddle.toml:1: --runs wants a number, not 'many'"
bad 'quiet = 1\n' "a flag that is none" "heddle.toml:1: 'quiet' wants true or false"
bad 'runs = { a = 1 }\n' "a table" "heddle.toml:1: unknown key 'runs'"
bad 'runs = \n' "no TOML" "heddle.toml:1"
bad 'runs = 1\0' "a zero byte" "zero byte"
bad 'version = true\n' "what is no default" "unknown key 'version'"
rm -rf proj

# The folder of results stays out of git.
heddle test --seed 1 -- ./racy
check ".gitignore" test "$(cat .heddle/.gitignore)" = "*"
echo mine >.heddle/.gitignore
heddle test --seed 1 -- ./racy
check "... is written once" test "$(cat .heddle/.gitignore)" = mine

# A program that was moved.
mkdir "new place"
mv racy "new place/"
heddle replay .heddle/findings/latest/replay.heddle
expect 99 "the program is gone" "say where it is now"
heddle replay .heddle/findings/latest/replay.heddle --times 3 -- "new place/racy"
expect 66 "replay FILE -- PROGRAM" "failed as recorded, 3 of 3 times"
heddle replay .heddle/findings/latest/replay.heddle -- "new place/racy" more
expect 99 "other arguments" "arguments are part of the recording"
heddle replay .heddle/findings/latest/replay.heddle -- ./correct
expect 98 "another program" "is another build than the recorded one"
heddle replay .heddle/findings/latest/replay.heddle "new place/racy"
expect 64 "without --" "after '--'"
mv "new place/racy" .

# Suppressions that ThreadSanitizer is told.
echo "race:^add$" >tsan.supp
TSAN_OPTIONS="halt_on_error=1 suppressions=tsan.supp:verbosity=0" heddle test --runs 50 --seed 1 -- ./racy
expect 0 "TSAN_OPTIONS" "suppressed [0-9]+ times? by race:\^add\\$"
mkdir run && cd run
TSAN_OPTIONS="suppressions='tsan.supp'" tool . test --runs 50 --seed 1 -- ../racy
expect 0 "... beside the program" "suppressed [0-9]+ times? by"
cd ..
mv run/out run/err .
TSAN_OPTIONS=suppressions=gone.supp heddle test -- ./racy
expect 64 "... that are not there" "TSAN_OPTIONS: .*gone.supp"
echo "race:nobody" >other.supp
TSAN_OPTIONS=suppressions=tsan.supp heddle test --runs 50 --seed 1 --suppressions other.supp -- ./racy
expect 66 "--suppressions wins" "suppression not used: race:nobody"

# Completions and man pages.
heddle completion bash
expect 0 "bash completion"
cat >try.bash <<'END'
. ./out
complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _heddle; echo "${COMPREPLY[*]}"; }
complete_words heddle ru
complete_words heddle test --ru
complete_words heddle test --strategy pct
complete_words heddle replay --times 3 rac
complete_words heddle test --runs 3 -- ./rac
complete_words heddle replay --ru
END
cp out complete.bash
check "... completes" test "$(cp complete.bash out; bash try.bash)" = "run
--runs
pct pctlarge
racy racy.c
./racy ./racy.c"
for shell in zsh fish; do
    heddle completion $shell
    expect 0 "$shell completion"
    for c in $(sed -n 's/^HD_CMD([a-z]*, "\([^"]*\)".*/\1/p' "$ROOT/src/cli/cmd.def"); do
        grep -qF "'$c" out || not_ok "$shell completion knows $c"
    done
    command -v $shell >/dev/null && check "... is understood by $shell" $shell -n out
done
heddle completion tcsh
expect 64 "another shell" "bash, zsh and fish"
man=$(cd "$(dirname "$HEDDLE")/../man" && pwd)
for c in $(sed -n 's/^HD_CMD(\([a-z]*\),.*/\1/p' "$ROOT/src/cli/cmd.def" | grep -vE '^(cxx|help|version)$'); do
    page=$man/heddle-$c.1
    check "man page of $c" bash -c "grep -q '^.SH SYNOPSIS' '$page' && grep -q '^.SH OPTIONS' '$page'"
done
if command -v man >/dev/null; then
    check "man shows them without a warning" bash -c "man --warnings -l '$man/heddle.1' '$man/heddle-test.1' 2>&1 >/dev/null | awk 'END {exit NR > 0}'"
fi
finish
