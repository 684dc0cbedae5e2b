#!/usr/bin/env bash
# Maple (OOPSLA 2012), table 4: time of a profile run and of an active one, times native.
. "$(dirname "$0")/lib.bash"
cat <<'END'
paper         profiler  active scheduler
fft              30.9 x     16.3 x
radix            67.7 x     17.8 x
pfscan           31.9 x     27.7 x
pbzip2          183.3 x     45.4 x
aget             34.4 x     98.8 x
memcached         4.8 x      4.1 x
apache            6.2 x      6.0 x
mysql            15.7 x      2.5 x
here:
END
[ $# -gt 0 ] || set -- fft radix lu matmul ocean pipeline pbzip2 lbzip2 xz zstd memcached redis
by_program "$ROOT/bench/overhead.sh" "$@"
