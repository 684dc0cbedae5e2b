#!/usr/bin/env bash
# Maple (OOPSLA 2012), table 5: share of the predicted iRoots that were exposed, by idiom. RUNS_EACH (200) runs a program,
# at most LIMIT (30) seconds of processor time: other programs on the machine do not change what it makes.
. "$(dirname "$0")/lib.bash"
cat <<'END'
paper       idiom 1  idiom 2  idiom 3  idiom 4  idiom 5
fft          87.5 %  100.0 %   40.0 %   36.0 %   25.0 %
radix        66.7 %    0.0 %    0.0 %   16.9 %    5.6 %
pfscan       13.3 %    6.7 %    5.6 %    4.8 %    6.4 %
pbzip2       23.4 %   23.1 %    8.0 %    5.6 %   12.8 %
aget         13.6 %    3.6 %    7.0 %    2.7 %    8.6 %
memcached     7.8 %    1.4 %    8.4 %    2.7 %    7.1 %
apache        6.0 %    1.0 %    0.0 %    7.0 %    4.0 %
mysql         5.0 %    0.0 %    1.0 %    1.0 %    2.0 %
mean           28 %     17 %      9 %     10 %      9 %
here:
END
[ $# -gt 0 ] || set -- pbzip2 lbzip2 xz-utils memcached redis redis-aof redis-io buggy correct
export RUNS=${RUNS_EACH:-200} LIMIT KEEP=$ROOT/bench/work/papers/$name/keep # of a part of the corpus
by_program "$ROOT/bench/success.sh" "$@" | tee "$tmp/rows"
awk -F '|' '/\/[0-9]+ [0-9]+ %/ { for (i = 3; i <= 8; i++) if (split($i, n, /[ \/]+/) > 2) { e[i] += n[2]; p[i] += n[3] } }
    END { printf "| all |"; for (i = 3; i <= 8; i++) if (p[i]) printf " %d/%d %.0f %% |", e[i], p[i], 100 * e[i] / p[i]; else printf " - |"; print "" }' "$tmp/rows"
