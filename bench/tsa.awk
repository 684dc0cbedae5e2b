# tsa.awk: the table of bench/tsa.sh.
#   awk -v pairs=FILE.pairs -f tsa.awk FILE.csv
# A row of the CSV: program,strategy,seed,covered,possible,runs,seconds,cpu,curve; of the
# pairs: program strategy seed met|left site site.
function middle(list,    n, v, i, j, t) {
    n = split(list, v, " ")
    for (i = 2; i <= n; i++) {
        t = v[i] + 0
        for (j = i - 1; j >= 1 && v[j] + 0 > t; j--) v[j + 1] = v[j]
        v[j + 1] = t
    }
    return v[int((n + 1) / 2)] + 0
}
# Run at which a curve first has `want`; one that never has: a number beyond all.
function reached(curve, want,    n, v, i, f) {
    n = split(curve, v, " ")
    for (i = 1; i <= n; i++) {
        split(v[i], f, ":")
        if (f[3] + 0 >= want) return f[1]
    }
    return 999999
}
function ratio(a, b) { return b > 0 ? a / b : 0 }
BEGIN {
    FS = ","
    while ((getline line < pairs) > 0) {
        split(line, f, " ")
        pair = f[1] " " f[5] " " f[6]
        if (f[4] == "met" && !(pair in met)) { met[pair] = 1; n_met[f[1]]++ }
        if (f[2] != "tsa") continue
        key = f[1] SUBSEP f[3]
        if (f[4] == "met") own[key]++
        else left[key] = left[key] "\n" pair
    }
}
FNR == 1 || NF < 9 { next }
{
    if (!($1 in seen)) { seen[$1] = 1; program[++n] = $1 }
    strategy[$2] = 1
    key = $1 SUBSEP $2
    covered[key] = covered[key] " " $4
    runs[key] = runs[key] " " $6
    clock[key] = clock[key] " " $7
    cpu[key] = cpu[key] " " $8
    if ($2 == "tsa") { curve[$1, ++n_curves[$1]] = $9; seed[$1, n_curves[$1]] = $3 }
}
END {
    print "| program | met by anyone | wrong | missed | tsa | runs | s | cpu s | best baseline | covered |" \
        " runs | s | cpu s | tsa / best: s | cpu s | tsa has as much after runs |"
    print "|---|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|"
    for (k = 1; k <= n; k++) {
        p = program[k]
        best = ""
        for (s in strategy) {
            key = p SUBSEP s
            if (s == "tsa" || !(key in covered)) continue
            c = middle(covered[key]); t = middle(clock[key])
            if (best == "" || c > most || (c == most && t < least)) { best = s; most = c; least = t }
        }
        key = p SUBSEP "tsa"
        if (!(key in covered) || best == "") continue
        wrong = missed = after = ""
        for (i = 1; i <= n_curves[p]; i++) {
            m = split(left[p SUBSEP seed[p, i]], v, "\n")
            bad = good = 0
            for (j = 2; j <= m; j++) { if (v[j] in met) good++; else bad++ }
            have = own[p SUBSEP seed[p, i]] + good
            wrong = wrong " " 100 * ratio(bad, have + bad)
            missed = missed " " 100 * ratio(n_met[p] - have, n_met[p])
            after = after " " reached(curve[p, i], most)
        }
        c = middle(covered[key]); t = middle(clock[key]); u = middle(cpu[key])
        b = p SUBSEP best
        a = middle(after)
        printf "| %s | %d | %.1f %% | %.1f %% | %d | %d | %.2f | %.2f | %s | %d | %d | %.2f | %.2f | %.2f | %.2f | %s |\n",
            p, n_met[p], middle(wrong), middle(missed), c, middle(runs[key]), t, u, best, most,
            middle(runs[b]), least, middle(cpu[b]), ratio(t, least), ratio(u, middle(cpu[b])),
            a == 999999 ? "never" : a
        judged++
        as_much += c >= most
        fast += c >= most && t <= least / 2
        lean += c >= most && u <= middle(cpu[b]) / 2
        right += middle(wrong) <= 5 && middle(missed) <= 5
    }
    if (judged) printf "\ntsa covers at least as much as the best baseline on %d of %d programs, on %d of them " \
        "in at most half of the time, on %d with at most half of the processor time; at most 5 %% of the " \
        "estimates are wrong and missed on %d\n", as_much, judged, fast, lean, right
}
