#!/usr/bin/env bash
# TSA (ISSTA 2012), tables 2 to 4: synchronization pairs at saturation and the time until then
# against 15 random baselines, and how good the estimate is. LONG=1: 30 seeds, as in the paper.
. "$(dirname "$0")/lib.bash"
cat <<'END'
paper (13 Java programs): covers at least as much as the best baseline on 9 of 13, in 0.11 to 1.11 of its
time; the estimate is within 2 % on 10 of 13 by its text (HashTable2 11 %, pool 55 %, VFS2 27 % too many).
here:
END
[ -z "$LONG" ] || export SEEDS=30
bash "$ROOT/bench/tsa.sh" "$@"
