#!/usr/bin/env bash
# fuzz.sh: 100,000 inputs per fuzz target under sanitizers (tests/fuzz/README.md).
# Environment: INPUTS (100000), and that of tests/fuzz/run.sh.
set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$tests/sanitize.sh" build && "$tests/fuzz/run.sh" "${INPUTS:-100000}"
