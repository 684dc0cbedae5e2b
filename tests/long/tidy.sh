#!/usr/bin/env bash
# tidy.sh: every check of .clang-tidy, those of the analyzer too (tests/tidy.sh).
exec "$(dirname "${BASH_SOURCE[0]}")/../tidy.sh" --all
