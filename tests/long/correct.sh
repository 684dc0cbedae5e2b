#!/usr/bin/env bash
# correct.sh: no correct program is accused: each target in correct/, EACH runs (200) under
# each of STRATEGIES, also those that ask for fewer as they wait for real children or take time.
# Then OTHERS runs (20) under each other strategy there is.
# Environment: EACH, OTHERS (0: none), STRATEGIES, JOBS (2), SEED (1).
: "${EACH:=200}" "${OTHERS:=20}" "${STRATEGIES:=default random pct pos}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
silent() { # silent RUNS STRATEGY...
    local runs=$1
    shift
    WHOLE=$whole STRATEGIES=$* RUNS=$((runs * $#)) "$here/../target/run.sh" correct || failed=1
}
failed=0 whole=1
silent "$EACH" $STRATEGIES
if [ "$OTHERS" -gt 0 ]; then
    others=()
    for s in $(sed -n 's/^HD_STRATEGY(\(.*\)).*/\1/p' "$here/../../src/strategy/strategy.def"); do
        case " $STRATEGIES " in *" $s "*) ;; *) others+=("$s") ;; esac
    done
    whole=
    silent "$OTHERS" "${others[@]}"
fi
exit $failed
