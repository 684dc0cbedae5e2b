# plot.awk: row, series, number -> a drawing (SVG): bars in groups, or lines over the rows. The
# scale is logarithmic where the largest number is more than 50 times the smallest.
function text(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
function y(v) {
    if (!is_log) return bottom - height * v / top_value
    if (v < low) v = low
    return bottom - height * (log(v) - log(low)) / (log(top_value) - log(low))
}
$3 ~ /^[0-9.]+$/ {
    if (!($1 in row)) { row[$1]; rows[++n_rows] = $1 }
    if (!($2 in series)) { series[$2]; columns[++n_columns] = $2 }
    value[$1, $2] = $3
    if ($3 > top_value) top_value = $3
    if ($3 > 0 && (!low || $3 < low)) low = $3
}
END {
    if (!n_rows) exit
    split("#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #666666 #000000", color, " ")
    is_log = top_value > 50 * low
    if (is_log) low /= 1.5
    group = kind == "lines" ? 60 : 14 * n_columns + 16
    width = 80 + group * n_rows; if (width < 420) width = 420
    height = 240; bottom = 290
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d 400\" font-family=\"sans-serif\" font-size=\"11\">\n", width
    printf "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"10\" y=\"20\" font-size=\"14\">%s</text>\n", text(title)
    printf "<text x=\"10\" y=\"38\" fill=\"#555\">%s%s</text>\n", text(unit), is_log ? ", logarithmic" : ""
    printf "<path d=\"M60 %d V%d H%d\" fill=\"none\" stroke=\"#333\"/>\n", bottom - height, bottom, width - 10
    for (i = 0; i <= 4; i++) {
        v = is_log ? exp(log(low) + (log(top_value) - log(low)) * i / 4) : top_value * i / 4
        printf "<text x=\"55\" y=\"%.0f\" text-anchor=\"end\">%.3g</text>\n", y(v) + 4, v
    }
    for (r = 1; r <= n_rows; r++)
        printf "<text transform=\"translate(%.0f %d) rotate(40)\">%s</text>\n", 60 + group * (r - 0.6), bottom + 14, text(rows[r])
    for (c = 1; c <= n_columns; c++) {
        paint = color[(c - 1) % 8 + 1]
        line = ""
        for (r = 1; r <= n_rows; r++) {
            if (!((rows[r], columns[c]) in value)) continue
            v = value[rows[r], columns[c]]
            if (kind == "lines")
                line = line sprintf("%s%.1f %.1f ", line ? "L" : "M", 60 + group * (r - 0.5), y(v))
            else
                printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: %s</title></rect>\n", \
                    60 + group * (r - 1) + 8 + 14 * (c - 1), y(v), bottom - y(v), paint, text(rows[r]), text(columns[c]), v
        }
        if (line) printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line, paint
        printf "<rect x=\"%d\" y=\"380\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"389\">%s</text>\n", \
            20 + (c - 1) * 120, paint, 34 + (c - 1) * 120, text(columns[c])
    }
    print "</svg>"
}
