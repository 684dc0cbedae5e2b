#!/usr/bin/env bash
# sanitize.sh: all unit tests and more scripts with the host under sanitizers (tests/sanitize.sh).
set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export ALL=1
"$tests/sanitize.sh" build && "$tests/sanitize.sh" unit &&
    "$tests/sanitize.sh" cli around bad_replay campaign confirm coverage delay drive escapes find_and_replay \
        identity input limits minimize misuse oracle report script search search_saved signals store_fault \
        suppress trace tsa
