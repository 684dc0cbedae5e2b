# wilcoxon.awk: results of bench/tsa.sh -> for each program, do the seeds of tsa cover more than those of the baseline that
# covers most in the mean? Wilcoxon's rank-sum test, two-sided, normal approximation with a correction for ties and for
# continuity (good from about 8 seeds each).
#   program <tab> best baseline <tab> mean of tsa <tab> its mean <tab> seeds <tab> p <tab> verdict at 0.05
BEGIN { FS = ","; OFS = "\t" }
FNR == 1 || NF < 9 { next }
{
    k = $1 SUBSEP $2
    if (!($1 in seen)) { seen[$1]; program[++n_programs] = $1 }
    strategy[$2]; value[k, ++n[k]] = $4; sum[k] += $4
}
# Two-sided tail of the normal distribution (Abramowitz and Stegun 7.1.26).
function tail(z,    t, x) {
    x = (z < 0 ? -z : z) / sqrt(2)
    t = 1 / (1 + 0.3275911 * x)
    return t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * exp(-x * x)
}
function test(a, b,    i, j, all, rank, w, ties, m, same, less, var, z) {
    m = n[a] + n[b]
    for (i = 1; i <= m; i++) all[i] = i <= n[a] ? value[a, i] : value[b, i - n[a]]
    for (i = 1; i <= m; i++) {
        same = less = 0
        for (j = 1; j <= m; j++) { same += all[j] == all[i]; less += all[j] < all[i] }
        rank = less + (same + 1) / 2
        if (i <= n[a]) w += rank
        ties += same * same - 1 # the sum of t^3 - t over groups of equal values
    }
    var = n[a] * n[b] / 12 * (m + 1 - ties / (m * (m - 1)))
    if (var <= 0) return 1
    z = w - n[a] * (m + 1) / 2
    z = z > 0.5 ? z - 0.5 : z < -0.5 ? z + 0.5 : 0
    return tail(z / sqrt(var))
}
END {
    for (i = 1; i <= n_programs; i++) {
        p = program[i]; mine = p SUBSEP "tsa"; best = ""
        for (s in strategy) {
            k = p SUBSEP s
            if (s == "tsa" || !n[k]) continue
            if (best == "" || sum[k] / n[k] > most) { best = s; most = sum[k] / n[k] }
        }
        if (best == "" || !n[mine]) continue
        prob = test(mine, p SUBSEP best); mean = sum[mine] / n[mine]
        at_least += mean >= most; compared++
        verdict = prob >= 0.05 ? "no difference" : mean > most ? "more" : "fewer"
        count[verdict]++
        printf "%s\t%s\t%.1f\t%.1f\t%d\t%.4f\t%s\n", p, best, mean, most, n[mine], prob, verdict
    }
    printf "means: at least the best baseline's on %d of %d; at 0.05 more on %d, no difference on %d, fewer on %d\n", \
        at_least, compared, count["more"], count["no difference"], count["fewer"]
}
