# tsa_curves.awk: results of bench/tsa.sh (program,strategy,seed,covered,possible,runs,seconds,cpu,curve) ->
#   kind=curve:  number of runs, technique, pairs covered by then: mean of seeds and parameters, summed over programs
#   kind=time:   the same by milliseconds of processor time (that of the clock, times the part of a processor that the
#                campaign had: other programs on the machine do not change it)
#   kind=spread: program, technique, how many percent more the best parameter covers at its end than the worst
BEGIN { FS = ","; OFS = "\t"; n_at = split(kind == "time" ? "5 10 15 20 30 40 60 80 100 150 200 300" : "1 2 5 10 20 40 60 80 100 120", at, " ") }
FNR == 1 { next }
{
    split($2, how, "=")
    program[$1]; technique[how[1]]; n[$1, how[1]]++
    cell = $1 SUBSEP $2; end[cell] += $4; seeds[cell]++; owner[cell] = $1 SUBSEP how[1]
    k = split($9, point, " ")
    for (i = 1; i <= n_at; i++) {
        v = 0
        for (j = 1; j <= k; j++) { split(point[j], part, ":"); if ((kind == "time" ? 1000 * part[2] * $8 / $7 : part[1]) <= at[i]) v = part[3] }
        sum[$1, how[1], i] += v
    }
}
END {
    if (kind == "curve" || kind == "time")
        for (i = 1; i <= n_at; i++)
            for (t in technique) {
                s = 0
                for (p in program) if (n[p, t]) s += sum[p, t, i] / n[p, t]
                printf "%d\t%s\t%.1f\n", at[i], t, s
            }
    else {
        for (c in end) {
            v = end[c] / seeds[c]; o = owner[c]
            if (!(o in high) || v > high[o]) high[o] = v
            if (!(o in low) || v < low[o]) low[o] = v
        }
        for (o in high) {
            split(o, part, SUBSEP)
            if (part[2] != "tsa") printf "%s\t%s\t%.1f\n", part[1], part[2], low[o] ? 100 * (high[o] / low[o] - 1) : 0
        }
    }
}
