#!/usr/bin/env bash
# golden.sh: reports of all programs of buggy/ and cxx/. Environment: JOBS (2), TIME (30s).
exec "$(dirname "${BASH_SOURCE[0]}")/../target/golden.sh" --all
