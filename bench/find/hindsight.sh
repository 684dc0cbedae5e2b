#!/usr/bin/env bash
# hindsight.sh: the default against the best single way to look for each program's bug, chosen afterwards.
#   bench/find/hindsight.sh RESULTS...     CSV files of run.sh (RESULTS=): the columns of all of them
# For each program the median of the default is divided by the smallest median of any other column (a miss counts
# as MISS runs, 5000, and SECONDS, 5). Prints the geometric mean of that, by runs and by time, for all columns
# together and for each alone. The smallest of several medians is small by luck as well, the more so the fewer
# seeds there are; so in the last line the column is chosen by seeds of odd number, and judged by the others.
set -u
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 64; }
awk -F, -v miss="${MISS:-5000}" -v most="${SECONDS_MISS:-5}" '
    $4 !~ /^[01]$/ { next }
    !(($1, $2, $3) in met) {
        met[$1, $2, $3]
        program[$1]
        column[$2]
        for (part = 0; part <= 2; part++) # all seeds, odd, even
            if (part == 0 || part == 2 - $3 % 2) {
                k = ++n[part, $1, $2]
                v["runs", part, $1, $2, k] = $4 ? $5 : miss
                v["time", part, $1, $2, k] = $4 ? $6 : most
            }
    }
    function median(what, part, p, c,    i, j, t, m, s) {
        m = n[part, p, c]
        for (i = 1; i <= m; i++) {
            t = v[what, part, p, c, i]
            for (j = i - 1; j >= 1 && s[j] > t; j--) s[j + 1] = s[j]
            s[j + 1] = t
        }
        return m % 2 ? s[(m + 1) / 2] : (s[m / 2] + s[m / 2 + 1]) / 2
    }
    # Of program p: the column, but for the default, with the smallest median.
    function best(what, part, p,    c, m, least, name) {
        for (c in column) {
            if (c == "default" || !((part, p, c) in n)) continue
            m = median(what, part, p, c)
            if (name == "" || m < least || (m == least && c < name)) { least = m; name = c }
        }
        return name
    }
    function mean(what, chosen_by, judged_by, only,    p, c, sum, count) {
        for (p in program) {
            c = only != "" ? only : best(what, chosen_by, p)
            if (c == "" || !((judged_by, p, c) in n) || !((judged_by, p, "default") in n)) continue
            sum += log(median(what, judged_by, p, "default") / median(what, judged_by, p, c))
            count++
        }
        return count ? exp(sum / count) : 0
    }
    END {
        print "default / another column, geometric mean over the programs: runs, time"
        for (c in column)
            if (c != "default") printf "%-30s %.2f  %.2f\n", c, mean("runs", 0, 0, c), mean("time", 0, 0, c) | "sort"
        close("sort")
        printf "%-30s %.2f  %.2f\n", "the best for each program", mean("runs", 0, 0, ""), mean("time", 0, 0, "")
        printf "%-30s %.2f  %.2f\n", "... chosen by odd seeds", mean("runs", 1, 2, ""), mean("time", 1, 2, "")
    }' "$@"
