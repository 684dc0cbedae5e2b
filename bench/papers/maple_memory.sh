#!/usr/bin/env bash
# Maple (OOPSLA 2012), figure 13: time of the eighth input with the memory of seven others, as a
# share of the time without. Programs and inputs: bench/memo.sh.
. "$(dirname "$0")/lib.bash"
echo "paper: about 10 % at the eighth input, mean of seven programs"
[ $# -gt 0 ] || set -- pbzip2 lbzip2 corpus
by_program "$ROOT/bench/memo.sh" "$@"
