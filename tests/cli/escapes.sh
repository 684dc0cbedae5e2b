#!/usr/bin/env bash
# Control characters, escape sequences and bytes that are not UTF-8 never reach the
# terminal, wherever they come from: the program's path, arguments, output, thread names
# and messages, its source, files of Heddle, suppressions, scripts.
. "$(dirname "$0")/lib.bash"
export LC_ALL=C.UTF-8
E=$'\033]0;owned\a\033[31m\x9b31m\xc2\x9b5i\xe2\x80\xae\xff\r\b'
# is_clean FILE...: only line breaks, tabs and harmless UTF-8.
is_clean() {
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$@" && ! LC_ALL=C grep -qP '\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' "$@" &&
        iconv -f UTF-8 -t UTF-8 "$@" >/dev/null
}
clean() { check "$1" is_clean out err; }

cat >evil.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int counter;
static const char bad[] = "\033]0;owned\a\033[31m\x9b" "31m\xc2\x9b" "5i\xe2\x80\xae\xff\r\b";
static void *add(void *arg)
{
    char name[16];
    memcpy(name, bad, 15);
    name[15] = 0;
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < 3; i++)
        counter++;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%s\n", bad);
    if (counter == 6)
        return 0;
    fprintf(stderr, "%s: %s\n", argc > 1 ? argv[1] : "", bad);
    if (argc > 2)
        exit(3);
    __assert_fail(bad, bad, 7, bad);
}
END
gcc -g -fsanitize=thread evil.c -o evil
mkdir "dir$E"
cp evil "dir$E/prog$E"
heddle test --seed 1 --strategy random --json r.json --sarif r.sarif --junit r.xml -- "dir$E/prog$E" "$E"
expect 66 "a finding of a program with everything bad" FINDING
clean "its report"
check "report.txt and README" is_clean .heddle/findings/latest/report.txt .heddle/findings/latest/README
check "JSON parses and is clean" bash -c 'jq -e .findings[0].id r.json && jq -e .runs r.sarif'
check "... on the screen, too" is_clean r.json r.sarif .heddle/findings/latest/report.json
check "JUnit" is_clean r.xml
command -v xmllint >/dev/null && check "... parses" xmllint --noout r.xml
check "the characters are shown, not dropped" grep -q '\\x1b' out
heddle replay .heddle/findings/latest/replay.heddle
expect 66 "replay" "failed as recorded"
clean "... is clean"
heddle minimize --time 3s .heddle/findings/latest/replay.heddle
clean "minimize"
heddle run --seed 1 --json - -- "dir$E/prog$E" "$E" exit
clean "run with --json -"
heddle test --seed 1 --runs 100 -k --strategy random -- ./evil "$E" exit
clean "an exit status"
heddle coverage
clean "coverage"
heddle coverage --list iroot
clean "... listed"
heddle candidates
clean "candidates"

# ---- files and arguments -------------------------------------------------------------------
heddle test --dir "d$E" --seed 1 --runs 3 -- ./evil
clean "--dir"
heddle test -- "./missing$E"
clean "a missing program"
heddle "com$E"
clean "an unknown command"
heddle test "--opt$E" -- ./evil
clean "an unknown option"
heddle replay "no$E.heddle"
clean "a missing replay file"
printf 'heddle-replay 5\n%s "x"\n' "$E" >bad.heddle
heddle replay bad.heddle
clean "a bad replay file"
printf 'race:%s\n' "$E" >supp
heddle test --suppressions supp --runs 3 -- ./evil
clean "a suppression"
printf '[program]\npath = "./evil"\n[%s]\n' "$E" >bad.toml
heddle test --script bad.toml
clean "a script"
printf '[program]\npath = "./missing\\u001b[31m"\n' >bad2.toml
heddle test --script bad2.toml
clean "a script with escapes of its own"
heddle test --runs 3 --check "printf '\\033[31m'; exit 1" -- ./evil
clean "a check's output"
heddle test --runs 3 --setup "printf '\\033[31m'; exit 1" -- ./evil
clean "a setup's output"
cat >usage.c <<'END'
#include <stdio.h>
int main(void) { fputs("\033[31mno\xff\n", stderr); return 2; }
END
build usage
heddle test --runs 3 -- ./usage
clean "a program that refuses"
sed '/^seal /d' .heddle/findings/latest/replay.heddle >foreign.heddle
heddle replay foreign.heddle
clean "a foreign replay"

# ---- on a terminal: nothing but Heddle's own sequences ---------------------------------------
if command -v script >/dev/null; then
    TERM=xterm script -qec "'$HEDDLE' test --seed 1 --strategy random -- ./evil" /dev/null </dev/null >tty 2>&1
    sed -E 's/\x1b\[(0|1|2|1;31)m//g; s/\x1b\[[0-9]*[AJK]//g; s/\r//g' tty >out
    : >err
    check "colours are there" grep -qP '\x1b\[1m' tty
    clean "and nothing else"
fi
finish
