#!/usr/bin/env bash
# posix.sh: the full run of tests/posix. Environment: RUNS (30), SEED (1), JOBS (2).
exec "$(dirname "${BASH_SOURCE[0]}")/../posix/run.sh"
