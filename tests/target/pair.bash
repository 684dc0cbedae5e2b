# pair.bash: the lines a header names as deciding, and those of a report. Sourced.

# header FILE KEY -> value of " * KEY: value"
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
# line_of FILE LABEL -> number of the line that ends with the label
line_of() { grep -nE "(/\* $2 \*/|// $2)\$" "$1" | cut -d: -f1 | head -n 1; }

# pairs_named FILE -> "36 -> 27" for each "A before B" of the header, one a line
pairs_named() {
    header "$1" pair | grep -oE '\b[A-Z] before [A-Z]\b' | while read -r a _ b; do
        echo "$(line_of "$1" "$a") -> $(line_of "$1" "$b")"
    done
}

# pairs_reported JSON -> the pairs the sentence of the first finding speaks of, one a line:
# first -> second, and before -> first if there is an event before; each event
# stands for its own line and for the one where its function was called
pairs_reported() {
    jq -r '.findings[0].decided | select(.) |
        def lines: [.line, .caller.line] | map(select(.)) | unique | .[];
        [.first, .second], (select(.before) | [.before, .first]) |
        . as [$a, $b] | ($a | lines) as $x | ($b | lines) as $y | "\($x) -> \($y)"' "$1"
}

# pair_fits FILE JSON: does the report name a pair that the header names?
pair_fits() { grep -qxF "$(pairs_named "$1")" <<<"$(pairs_reported "$2")"; }
