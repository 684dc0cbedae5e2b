# table.awk: row, series, number -> a table; the last line has the sum of each series.
{
    if (!($1 in row)) { row[$1]; rows[++n_rows] = $1 }
    if (!($2 in series)) { series[$2]; columns[++n_columns] = $2 }
    value[$1, $2] = $3
    if (length($1) > wide) wide = length($1)
}
END {
    if (wide < 8) wide = 8
    printf "%-" wide "s", ""
    for (c = 1; c <= n_columns; c++) printf "  %12s", columns[c]
    printf "\n"
    for (r = 1; r <= n_rows; r++) {
        printf "%-" wide "s", rows[r]
        for (c = 1; c <= n_columns; c++) {
            v = (rows[r], columns[c]) in value ? value[rows[r], columns[c]] : ""
            printf "  %12s", v
            if (v ~ /^[0-9.]+$/) { sum[c] += v; count[c]++ }
        }
        printf "\n"
    }
    printf "%-" wide "s", "sum"
    for (c = 1; c <= n_columns; c++)
        printf "  %12s", count[c] == n_rows ? sum[c] : sum[c] " of " count[c] + 0
    printf "\n"
}
