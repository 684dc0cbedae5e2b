# table.awk: medians of the rows of bench/find as tables in Markdown: runs, then
# milliseconds, to the first finding; a program that is missed by half of the seeds
# or more has none ("found/seeds" is shown instead).
#   awk -v columns="default pct ..." -v compare="default pct ..." -f table.awk FILE.csv
# `compare`: the columns among which the default is to be the best or within 1.5
# times of the best.
BEGIN { FS = ","; n_columns = split(columns, column, " "); n_compare = split(compare, rival, " ") }
FNR == 1 || NF < 6 { next }
{
    cell = $1 SUBSEP $2
    if (!($1 in seen)) { seen[$1] = 1; program[++n_programs] = $1 }
    if ((cell, $3) in done) next
    done[cell, $3] = 1
    seeds[cell]++
    tried[cell] += $5
    if ($4 == 1) {
        k = ++found[cell]
        runs[cell, k] = $5
        time[cell, k] = $6 * 1000
    }
}
# The median over all seeds where a miss is later than any finding; -1 = a miss.
# `which` is the array, sorted here up to where it is needed.
function median(which, cell,    n, half, i, j, t, v) {
    if (!(cell in seeds)) return -1
    n = found[cell] + 0
    half = int((seeds[cell] + 1) / 2)
    if (!n || half > n) return -1
    for (i = 1; i <= n; i++) v[i] = which[cell, i]
    for (i = 2; i <= n; i++) {
        t = v[i]
        for (j = i - 1; j >= 1 && v[j] > t; j--) v[j + 1] = v[j]
        v[j + 1] = t
    }
    return v[half]
}
function line(first, i) {
    printf "| %s |", first
    for (i = 1; i <= n_columns; i++) printf " %s |", out[i]
    printf "\n"
}
function head(title, i) {
    printf "\n%s\n\n", title
    for (i = 1; i <= n_columns; i++) out[i] = column[i]
    line("program")
    for (i = 1; i <= n_columns; i++) out[i] = "---:"
    line("---")
}
function show(p, i, value, format, cell) {
    cell = p SUBSEP column[i]
    out[i] = !(cell in seeds) ? "" : value < 0 ? found[cell] + 0 "/" seeds[cell] : sprintf(format, value)
}
END {
    head("Runs to the first finding (median over seeds)")
    for (k = 1; k <= n_programs; k++) {
        for (i = 1; i <= n_columns; i++) {
            m = median(runs, program[k] SUBSEP column[i])
            show(program[k], i, m, "%d")
            cell = program[k] SUBSEP column[i]
            if (cell in seeds) {
                of[i]++
                hits[i] += m >= 0
                # a miss counts with the runs that were spent
                total[i] += m >= 0 ? m : tried[cell] / seeds[cell]
            }
        }
        line(program[k])
    }
    for (i = 1; i <= n_columns; i++) out[i] = hits[i] + 0 "/" of[i] + 0
    line("**found**")
    for (i = 1; i <= n_columns; i++) out[i] = sprintf("%d", total[i])
    line("**runs in all**")

    head("Milliseconds to the first finding (median over seeds)")
    for (k = 1; k <= n_programs; k++) {
        best = -1
        winner = ""
        for (j = 1; j <= n_compare; j++) {
            m = median(time, program[k] SUBSEP rival[j])
            if (m >= 0 && (best < 0 || m < best)) { best = m; winner = rival[j] }
        }
        for (i = 1; i <= n_columns; i++) {
            m = median(time, program[k] SUBSEP column[i])
            show(program[k], i, m, "%.1f")
            sum[i] += m >= 0 ? m : 0
            if (column[i] == "default" && (program[k] SUBSEP "default") in seeds) {
                judged++
                if (m >= 0 && m <= 1.5 * best) near++
                else far = far sprintf("- %s: default %s, best %s (%s)\n", program[k], out[i],
                                       best < 0 ? "none" : sprintf("%.1f", best), winner)
                if (m >= 0 && m == best) wins++
            }
        }
        line(program[k])
    }
    for (i = 1; i <= n_columns; i++) out[i] = sprintf("%.0f", sum[i])
    line("**in all, where found**")

    if (judged) {
        printf "\ndefault is the best or within 1.5 times of the best on %d of %d programs " \
            "(%.0f %%; goal 80 %%), the best on %d\n", near, judged, 100 * near / judged, wins
        if (far != "") printf "\nwhere it is not:\n%s", far
    }
    for (i = 1; i <= n_columns; i++) at[column[i]] = i
    if (("hapset" in at) && total[at["hapset"]] > 0) {
        printf "\nruns in all: hapset %d", total[at["hapset"]]
        if ("dpor" in at) printf ", dpor %d (%.2f of it; goal at most 0.10)", total[at["dpor"]],
            total[at["dpor"]] ? total[at["hapset"]] / total[at["dpor"]] : 0
        if ("pcb=2" in at) printf ", pcb=2 %d (%.2f of it; goal at most 0.33)", total[at["pcb=2"]],
            total[at["pcb=2"]] ? total[at["hapset"]] / total[at["pcb=2"]] : 0
        printf "\n"
    }
}
