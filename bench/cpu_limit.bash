# cpu_limit.bash: a limit by processor time, which other programs on the machine do not shorten. Sourced.
#
#   cpu_limit SECONDS COMMAND...   asks the command to end (TERM) once it and all that it started have used so much.
#                                  Returns its status, 124 if it was asked. cpu_used: the seconds that were used

# Processor time of the children of $1 and of all below them, but for those of $2, in seconds; of children that have
# ended, too, once somebody waited for them. Then the children.
cpu_below() {
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v root="$1" -v but="$2" -v ticks="$(getconf CLK_TCK)" '
        { pid = $1; sub(/^.*\) /, ""); up[pid] = $2; used[pid] = $12 + $13 + $14 + $15 }
        END {
            for (p in up) {
                for (q = p; q in up && up[q] != root && q != but; q = up[q]) { }
                if (q in up && q != but && up[q] == root) { sum += used[p]; if (q == p) list = list " " p }
            }
            print sum / ticks list
        }'
}
# cpu_watch SHELL SECONDS: what is left cannot be used up sooner than by all processors at work, so it looks rarely; every five
# seconds whether the shell is still there.
cpu_watch() {
    local used=0 list wait never me=$BASHPID # by its own name: in what follows it would be another shell's
    exec {never}<> <(:) # nothing to read, ever: waits without a process
    while :; do
        wait=$(awk -v limit="$2" -v used="$used" -v n="$(nproc)" 'BEGIN {
            w = (limit - used) / n; print w < 0.2 ? 0.2 : w > 5 ? 5 : w }')
        read -rt "$wait" -u "$never"
        kill -0 "$1" 2>/dev/null || return # interrupted
        read -r used list <<<"$(cpu_below "$1" "$me")"
        awk -v used="$used" -v limit="$2" 'BEGIN { exit used < limit }' || continue
        kill -TERM $list 2>/dev/null
        return 0
    done
}
cpu_seconds() { # of the children of this shell that have ended; not in a subshell of its own, which has none
    times >"$1"
    cpu_used=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } print s }' "$1")
}
cpu_limit() {
    local limit=$1 status watcher before file me=$BASHPID
    shift
    file=$(mktemp)
    cpu_seconds "$file"
    before=$cpu_used
    cpu_watch "$me" "$limit" >/dev/null 2>&1 </dev/null &
    watcher=$!
    "$@"
    status=$?
    cpu_seconds "$file"
    cpu_used=$(awk -v a="$before" -v b="$cpu_used" 'BEGIN { print b - a }')
    rm -f "$file"
    kill "$watcher" 2>/dev/null # it may have asked, and gone
    wait "$watcher" 2>/dev/null && status=124
    return $status
}
