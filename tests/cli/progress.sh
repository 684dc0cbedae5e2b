#!/usr/bin/env bash
# The status screen: on a terminal only, within its width, gone at the end.
. "$(dirname "$0")/lib.bash"
correct_c
racy_c
# terminal COLUMNS COMMAND: runs it on a terminal; what it wrote is in ./tty
terminal() {
    timeout 60 script -qefc "stty cols $1 rows 24; $2" tty </dev/null >/dev/null 2>&1
    rc=$?
}
heddle test --seed 1 --time 1s -- ./correct
check "no escape codes without a terminal" bash -c '! grep -q "$(printf "\033")" err'
terminal 80 "'$HEDDLE' test --seed 1 --time 2s -- ./correct"
check "a campaign on a terminal" test $rc = 0
plain() { tr -d '\r' <tty | sed "s/$(printf '\033')\[[0-9;]*[A-Za-z]//g"; }
for word in "runs  .*/s" "time .*0:0[12].* left" "threads   3" "findings  0" "Ctrl-C"; do
    check "shows '$word'" bash -c "grep -Eq '$word' <(cat)" < <(plain)
done
check "a summary is left" grep -q "0 findings" tty
terminal 40 "'$HEDDLE' test --seed 1 --time 2s -- ./correct"
wide=$(plain | grep -E '^  (runs|time|threads|findings|Ctrl)|^heddle: .*correct$' |
    awk 'length > 39' | wc -l)
check "fits in 40 columns" test "$wide" = 0
terminal 80 "'$HEDDLE' test -k --seed 1 --time 2s -- ./racy"
check "the last new finding" bash -c "grep -Eq 'last new  assertion-' <(cat)" < <(plain)
terminal 80 "'$HEDDLE' test -q --seed 1 --time 1s -- ./correct"
check "-q shows nothing" bash -c '! grep -q runs tty'
terminal 80 "TERM=dumb '$HEDDLE' test --seed 1 --time 1s -- ./correct"
check "a dumb terminal gets no screen" bash -c "! grep -q 'Ctrl-C' tty"
# The file begins with the command itself, which the pattern must not match: the screen has to be there.
terminal 80 "(until grep -q 'Ctrl-[C]' tty; do sleep 0.1; done; kill -INT \$\$) & exec '$HEDDLE' test --seed 1 --time 30s -- ./correct"
check "Ctrl-C ends with a summary" grep -q "interrupted after" tty
finish
