# architecture.awk: draws architecture.txt as SVG.
#   awk -f docs/architecture.awk docs/architecture.txt >docs/architecture.svg
BEGIN { FS = " *[|] *"; W = 860; H = 58; GAP = 26; y = 10 }
function esc(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
function text(x, at, class, s) {
    out = out sprintf("<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, at, class, esc(s))
}
function flush_row(   i, w, x) {
    if (!n) return
    if (rows++ && !crossed) {
        out = out sprintf("<path d=\"M%d %d v%d\"/>\n", W / 2, y - GAP + 3, GAP - 8)
    }
    crossed = 0
    text(10, y + 12, "title", title)
    y += 20
    w = (W - 20 - (n - 1) * 14) / n
    for (i = 1; i <= n; i++) {
        x = 10 + (i - 1) * (w + 14)
        out = out sprintf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>\n", x, y, w, H)
        text(x + w / 2, y + 24, "name", name[i])
        text(x + w / 2, y + 43, "what", what[i])
    }
    y += H + GAP
    n = 0
}
/^#/ || !NF { next }
/^row / { flush_row(); title = substr($0, 5); next }
/^box / { name[++n] = substr($1, 5); what[n] = $2; next }
/^boundary / {
    flush_row()
    out = out sprintf("<line x1=\"0\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", y, W, y)
    text(W - 10, y + 15, "edge", substr($0, 10))
    y += 22
    crossed = 1
}
END {
    flush_row()
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n", W, y - GAP + 10
    print "<style>rect{fill:#f4f6f8;stroke:#57606a}.name{font-weight:bold;font-size:15px;text-anchor:middle}"
    print ".what{font-size:12px;text-anchor:middle;fill:#444}.title{font-size:12px;fill:#57606a}"
    print ".edge{font-size:12px;text-anchor:end;fill:#b35900}line{stroke:#b35900;stroke-dasharray:6 4}"
    print "path{stroke:#57606a;stroke-width:2;marker-end:url(#a)}</style>"
    print "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" style=\"stroke:none;fill:#57606a\"/></marker></defs>"
    print "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>"
    printf "%s</svg>\n", out
}
