#!/usr/bin/env bash
# halves.sh: a constant is chosen on one half of the programs and judged on the other, both ways.
#   bench/find/halves.sh RESULTS...     one CSV file of run.sh (RESULTS=) for each value of the constant
# Programs are dealt to the halves in alphabetical order. A program counts with the median of its
# runs, column default; a median that is a miss as MISS (5000). Prints the sums of each file on both halves,
# then for each half the file that is best on it, and what that gives on the other.
set -u
: "${MISS:=5000}"
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 64; }
for f; do
    awk -F, -v file="$f" -v miss="$MISS" '$2 == "default" { print file, $1, $4 ? $5 : miss }' "$f"
done | sort -k1,1 -k2,2 -k3,3n | awk '
    function close_program() {
        if (!n) return
        if (!(program in half)) half[program] = dealt++ % 2
        sum[file, half[program]] += n % 2 ? runs[(n + 1) / 2] : (runs[n / 2] + runs[n / 2 + 1]) / 2
        n = 0
    }
    $1 != file || $2 != program { close_program() }
    $1 != file { name[files++] = $1 }
    { file = $1; program = $2; runs[++n] = $3 }
    END {
        close_program()
        for (i = 0; i < files; i++) {
            printf "%s: %g and %g, in all %g\n", name[i], sum[name[i], 0], sum[name[i], 1],
                sum[name[i], 0] + sum[name[i], 1]
            for (h = 0; h < 2; h++)
                if (!i || sum[name[i], h] < sum[best[h], h]) best[h] = name[i]
        }
        for (h = 0; h < 2; h++)
            printf "chosen on half %d: %s; on the other it gives %g\n", h + 1, best[h], sum[best[h], 1 - h]
        printf "cross-validated: %g\n", sum[best[0], 1] + sum[best[1], 0]
    }'
