#!/usr/bin/env bash
# gen.sh: the bug of every class of tests/gen is found within 60 s, the twins stay silent, 12 s each.
# Environment: TIME (60), TWIN (12), SEED (1), PICK (map).
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TABLE=$PWD/table "$here/gen/run.sh" "$@" | tee log
bad=$(grep -c '^not ok' log)
good=$(grep -c '^ok' log)
sort -g -k3 table | awk '{ t[NR] = $3 } END { if (NR) printf "seconds to the first failure: median %.1f, most %.1f\n", t[int((NR + 1) / 2)], t[NR] }'
echo "$good passed, $bad failed"
[ "$bad" = 0 ] && [ "$good" -gt 0 ]
