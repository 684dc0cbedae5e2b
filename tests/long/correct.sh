#!/usr/bin/env bash
# correct.sh: no correct program is accused: each target in correct/, EACH runs (200) under
# each of STRATEGIES. Environment: EACH, STRATEGIES, JOBS (2), SEED (1).
: "${EACH:=200}" "${STRATEGIES:=default random pct pos}"
set -- $STRATEGIES
export STRATEGIES RUNS=$((EACH * $#))
exec "$(dirname "${BASH_SOURCE[0]}")/../target/run.sh" correct
