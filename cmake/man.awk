# man.awk: a page of docs/cmd as a man page. The subset of Markdown that these pages use:
# headings, paragraphs, lists, tables, code blocks, `code`, **bold**, *emphasis*, [links](to).
#   awk -v name=heddle-test -v brief="drive ..." -v version=0.1.0 -f man.awk docs/cmd/test.md
function text(s,   out, m) {
    gsub(/\\/, "\\e", s)
    while (match(s, /!?\[[^]]*\]\([^)]*\)/)) { # a link is its text
        m = substr(s, RSTART, RLENGTH)
        sub(/^!?\[/, "", m)
        sub(/\]\([^)]*\)$/, "", m)
        s = substr(s, 1, RSTART - 1) m substr(s, RSTART + RLENGTH)
    }
    out = ""
    while (match(s, /`[^`]*`|\*\*[^*]+\*\*|\*[A-Za-z][^*]*\*/)) {
        m = substr(s, RSTART, RLENGTH)
        out = out substr(s, 1, RSTART - 1)
        if (m ~ /^`/)
            out = out "\\fB" substr(m, 2, length(m) - 2) "\\fR"
        else if (m ~ /^\*\*/)
            out = out "\\fB" substr(m, 3, length(m) - 4) "\\fR"
        else
            out = out "\\fI" substr(m, 2, length(m) - 2) "\\fR"
        s = substr(s, RSTART + RLENGTH)
    }
    out = out s
    gsub(/-/, "\\-", out)
    gsub(/\\\|/, "|", out)
    return out
}
function put(s) { print (s ~ /^[.']/ ? "\\&" : "") s }
function flush() { if (held != "") { put(text(held)); held = "" } }
function row(s,   n, cell, i, c) {
    if (s ~ /^\|[-| :]+\|$/)
        return
    gsub(/\\\|/, "\001", s)
    n = split(substr(s, 2, length(s) - 2), cell, "|")
    for (i = 1; i <= n; i++) {
        c = cell[i]
        gsub(/^ +| +$/, "", c)
        gsub(/\001/, "|", c)
        if (i == 1)
            printf ".TP\n%s%s\n", (c ~ /^[.']/ ? "\\&" : ""), (c == "" ? "\\&" : text(c))
        else
            put(text(c) (i < n ? ";" : ""))
    }
}
BEGIN {
    printf ".TH %s 1 \"\" \"Heddle %s\" \"Heddle\"\n.SH NAME\n%s \\- %s\n", toupper(name), version, name, brief
}
!is_code && /^<!--/ { is_comment = 1 } # for tests/docs
is_comment { is_comment = !/-->$/; next }
/^```/ {
    flush()
    is_code = !is_code
    print is_code ? (is_usage ? ".SH SYNOPSIS" : ".PP") "\n.nf" : ".fi"
    if (!is_code && is_usage) {
        print ".SH DESCRIPTION"
        is_usage = 0
    }
    next
}
is_code { s = $0; gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); put(s); next }
/^# / { is_usage = 1; next }
/^## / { flush(); in_table = 0; print ".SH " toupper(substr($0, 4)); next }
/^### / { flush(); in_table = 0; print ".SS " substr($0, 5); next }
/^\|/ {
    flush()
    if (!in_table) { in_table = 1; next } # its heading
    row($0)
    next
}
/^[-*] |^[0-9]+\. / {
    flush()
    mark = $1
    print ".IP " (mark ~ /[0-9]/ ? mark " 4" : "\\(bu 2")
    held = substr($0, length(mark) + 2)
    sub(/^ +/, "", held)
    next
}
/^ *$/ { flush(); if (in_table) in_table = 0; blank = 1; next }
{
    if (held == "" && blank && !is_usage)
        print ".PP"
    blank = 0
    s = $0
    sub(/^ +/, "", s)
    held = held == "" ? s : held " " s
}
END { flush() }
