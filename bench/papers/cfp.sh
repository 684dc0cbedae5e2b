#!/usr/bin/env bash
# Cross-input detection (position paper on concurrent function pairs), tables 2 to 5: what a run
# that only looks for pairs of functions costs, how inputs overlap, and what choosing saves.
. "$(dirname "$0")/lib.bash"
cat <<'END'
paper      inputs used  overlap of races  speed-up  races missed  trace saved  runs saved by memory
Aget        3 of 8       6.67 -> 1.00      0.76 x      0 %          94 %            85 %
Click       6 of 6       2.19 -> 1.64      2.14 x      0.2 %        64 %            54 %
FFT         1 of 8       4.67 -> 1.00      7.13 x      0 %          83 %            79 %
Mozilla-js  7 of 8       5.47 -> 2.73      1.27 x      4 %          33 %            82 %
PBZIP2      2 of 8       4.17 -> 1.16      1.72 x      3 %          44 %            76 %
here:
END
[ $# -gt 0 ] || set -- fft radix tickets
by_program "$ROOT/bench/cfp.sh" "$@"
