#!/usr/bin/env bash
# long.sh: all programs of tests/target/long by SEEDS seeds (5). Ends with "N passed, N failed".
#   HEDDLE=path/to/heddle tests/long/long.sh
set -u
SEEDS=${SEEDS:-5} exec "$(dirname "${BASH_SOURCE[0]}")/../target/long.sh" "$@"
