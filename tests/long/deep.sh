#!/usr/bin/env bash
# deep.sh: all programs of tests/target/deep by SEEDS seeds (5), with the corpus and without it.
# Fails if the corpus does not find at least LEAST (9) of them by every seed, or if as many are
# found without it. The goal is all of them, and a third without (docs/design/corpus.md).
set -u
: "${SEEDS:=5}" "${LEAST:=9}"
export SEEDS
deep=$(dirname "${BASH_SOURCE[0]}")/../target/deep.sh
echo "without the corpus:"
without=$(OPTIONS=--no-corpus "$deep" --least 0 | tee /dev/stderr | sed -n 's/^\([0-9]*\) passed.*/\1/p')
echo "with it:"
"$deep" --least $((without >= LEAST ? without + 1 : LEAST))
