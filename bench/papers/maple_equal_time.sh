#!/usr/bin/env bash
# Maple (OOPSLA 2012), figures 11 and 12: iRoots covered in equal time.
. "$(dirname "$0")/lib.bash"
echo "paper: Maple covers about 15 % more than the second best (PCTLarge), CHESS about 60 % of Maple"
if [ -f "$ROOT/bench/equal_time.sh" ]; then
    bash "$ROOT/bench/equal_time.sh" "$@"
else
    echo "maple_equal_time: bench/equal_time.sh is not there, left out"
fi
