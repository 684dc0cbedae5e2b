#!/usr/bin/env bash
# identity.sh: one id per cause, all programs. Environment: SEEDS ("1 2 3 4 5"), JOBS (2).
exec "$(dirname "${BASH_SOURCE[0]}")/../target/identity.sh"
