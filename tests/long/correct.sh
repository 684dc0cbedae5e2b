#!/usr/bin/env bash
# correct.sh: no correct program is accused: each target in correct/, EACH runs (200) under
# each of STRATEGIES, also those that ask for fewer as they wait for real children or take time.
# Environment: EACH, STRATEGIES, JOBS (2), SEED (1).
: "${EACH:=200}" "${STRATEGIES:=default random pct pos}"
set -- $STRATEGIES
export WHOLE=1 STRATEGIES RUNS=$((EACH * $#))
exec "$(dirname "${BASH_SOURCE[0]}")/../target/run.sh" correct
