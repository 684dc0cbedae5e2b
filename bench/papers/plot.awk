# plot.awk: row, series, number -> a drawing (SVG): bars in groups, or lines over the rows. title, unit (of the
# numbers), along (what the rows are), kind (bars, lines, curves). The scale is logarithmic where the largest number is more than
# 50 times the smallest, but of curves. Many bars go on in further panels below the first. A "-" (nothing found) is a cross on the axis.
function text(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
function y(v) {
    if (!is_log) return bottom - height * v / top_value
    if (v < low) v = low
    return bottom - height * (log(v) - log(low)) / (log(top_value) - log(low))
}
function number(v) { return v < 1000000 ? v + 0 "" : sprintf("%g", v) }
# A round number: 1, 2 or 5 times a power of ten, v or the next one above.
function round_up(v,   p) {
    for (p = 1; p < v; p *= 10) { }
    for (; p > v; p /= 10) { }
    return p >= v ? p : 2 * p >= v ? 2 * p : 5 * p >= v ? 5 * p : 10 * p
}
function tick(v) {
    printf "<path d=\"M60 %.1f H%d\" stroke=\"#ddd\"/><text x=\"55\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", y(v), right, y(v) + 4, number(v)
}
function axes(   v) {
    if (is_log)
        for (v = first_tick; v <= top_value * 1.001; v *= 10) tick(v)
    else
        for (v = 0; v <= top_value * 1.001; v += step) tick(v)
    printf "<path d=\"M60 %d V%d H%d\" fill=\"none\" stroke=\"#333\"/>\n", bottom - height, bottom, right
    printf "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\" fill=\"#555\">%s%s</text>\n", \
        bottom - height / 2, text(axis), is_log ? " (logarithmic)" : ""
}
function bar(r, c,   x, v) {
    if (!((rows[r], columns[c]) in value)) return
    v = value[rows[r], columns[c]]
    x = 60 + group * ((r - 1) % in_panel) + 8 + 14 * (c - 1)
    if (v == "-")
        printf "<path d=\"M%.1f %d l8 8 m0 -8 l-8 8\" stroke=\"%s\" stroke-width=\"2\"><title>%s, %s: -</title></path>\n", \
            x + 2, bottom - 11, paint(c), text(rows[r]), text(columns[c])
    else
        printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: %s</title></rect>\n", \
            x, y(v), bottom - y(v), paint(c), text(rows[r]), text(columns[c]), v
}
BEGIN { is_lines = kind == "lines" || kind == "curves" }
function paint(c) { return color[(c - 1) % 12 + 1] }
$3 ~ /^([0-9.]+|-)$/ {
    if (!($1 in row)) { row[$1]; rows[++n_rows] = $1 }
    if (!($2 in series)) { series[$2]; columns[++n_columns] = $2 }
    value[$1, $2] = $3
    if ($3 == "-") { has_none = !is_lines; next }
    if ($3 > top_value) top_value = $3
    if ($3 > 0 && (!low || $3 < low)) low = $3
}
END {
    if (!n_rows || !low) exit
    split("#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #666666 #000000 #8c564b #bcbd22 #44aa99 #882255", color, " ")
    is_log = kind != "curves" && top_value > 50 * low
    if (is_log) {
        for (first_tick = 1; first_tick > low; first_tick /= 10) { }
        for (; first_tick * 10 <= low; first_tick *= 10) { }
        low = first_tick * 0.6 # a bar of the smallest number is still seen
        top_value *= 1.1
    } else { # a tick above the highest
        step = round_up(top_value / 5)
        top_value = step * int((top_value + step * 0.999) / step)
    }
    group = is_lines ? (n_rows > 12 ? 40 : 60) : 14 * n_columns + 16
    in_panel = is_lines ? n_rows : int(1020 / group)
    if (in_panel < 1) in_panel = 1
    if (in_panel > n_rows) in_panel = n_rows
    panels = int((n_rows + in_panel - 1) / in_panel)
    in_panel = int((n_rows + panels - 1) / panels)
    for (r = 1; r <= n_rows; r++) if (length(rows[r]) > longest) longest = length(rows[r])
    names = is_lines && longest < 7 ? 22 : 22 + 4.2 * longest # below the axis
    right = 70 + group * in_panel
    width = right + (longest < 7 ? 20 : 4.6 * longest)
    if (width < 640) width = 640
    height = 240
    # what the numbers are, at the axis, if it is short; else only above
    axis = match(unit, /;/) ? substr(unit, 1, RSTART - 1) : unit
    if (length(axis) > (is_log ? 30 : 40)) axis = match(axis, /,/) ? substr(axis, 1, RSTART - 1) : ""
    for (c = 1; c <= n_columns; c++) if (length(columns[c]) > wide) wide = length(columns[c])
    wide = 30 + 6.5 * wide
    per_line = int((width - 20) / wide)
    whole = 52 + panels * (height + names + 24) + 18 * int((n_columns + per_line - 1) / per_line) + 18 * (has_none + 0) + 12
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n", width, whole
    printf "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"10\" y=\"20\" font-size=\"14\">%s</text>\n", text(title)
    printf "<text x=\"10\" y=\"38\" fill=\"#555\">%s</text>\n", text(unit)
    for (panel = 1; panel <= panels; panel++) {
        bottom = 52 + panel * height + (panel - 1) * (names + 24)
        axes()
        for (r = (panel - 1) * in_panel + 1; r <= n_rows && r <= panel * in_panel; r++) {
            x = 60 + group * ((r - 1) % in_panel + 0.5)
            if (longest < 7) printf "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, bottom + 16, text(rows[r])
            else printf "<text transform=\"translate(%.0f %d) rotate(40)\">%s</text>\n", x - 6, bottom + 14, text(rows[r])
            if (!is_lines) for (c = 1; c <= n_columns; c++) bar(r, c)
        }
        if (along) printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%s</text>\n", right, bottom + names + 10, text(along)
    }
    for (c = 1; is_lines && c <= n_columns; c++) {
        line = ""
        for (r = 1; r <= n_rows; r++)
            if (((rows[r], columns[c]) in value) && value[rows[r], columns[c]] != "-")
                line = line sprintf("%s%.1f %.1f ", line ? "L" : "M", 60 + group * (r - 0.5), y(value[rows[r], columns[c]]))
        if (line) printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line, paint(c)
    }
    at = 52 + panels * (height + names + 24)
    for (c = 1; c <= n_columns; c++) {
        x = 20 + (c - 1) % per_line * wide
        h = at + 18 * int((c - 1) / per_line)
        printf "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x, h, paint(c), x + 14, h + 9, text(columns[c])
    }
    if (has_none) printf "<text x=\"20\" y=\"%d\" fill=\"#555\">a cross: none</text>\n", whole - 12
    print "</svg>"
}
