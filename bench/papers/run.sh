#!/usr/bin/env bash
# All tables and figures of the papers that are made here: bench/papers/run.sh [NAME...]
# The short ones take about half an hour on an idle machine (26 minutes of processor time); LONG=1 adds those that build real programs or wait for searches that find nothing.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
short="hapset_extracted hapset_threads hapset_programs hapset_cost maple_bugs maple_manner tsa_rules map_bugs map_coverage map_correlation map_patterns"
long="hapset_pool maple_idioms maple_causes maple_memory maple_overhead maple_success maple_equal_time maple_equal_time:time tsa_coverage cfp cfp_inputs"
[ $# -gt 0 ] || set -- $short ${LONG:+$long}
trap 'exit 130' INT TERM
for one in "$@"; do # NAME or NAME:ARGUMENT
    name=${one%%:*} argument=${one#"${one%%:*}"}
    [ -f "$here/$name.sh" ] || { echo "run.sh: there is no $name.sh" >&2; continue; }
    echo "== $one"
    bash "$here/$name.sh" ${argument#:} || echo "run.sh: $one did not come to its end; what it has is kept" >&2
done
