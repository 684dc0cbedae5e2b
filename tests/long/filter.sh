#!/usr/bin/env bash
# filter.sh: what the filter in the target leaves out changes no coverage: every target program
# under five seeds (tests/target/filter.sh; one seed of some in make test).
# Environment: SEEDS ("1 2 3 4 5"), JOBS (2).
: "${SEEDS:=1 2 3 4 5}"
export SEEDS
exec "$(dirname "${BASH_SOURCE[0]}")/../target/filter.sh" "$@"
