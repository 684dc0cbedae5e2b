#!/usr/bin/env bash
# pictures.sh: makes docs/report.png and docs/terminal.svg anew, from a real finding of the program in
# docs/tutorial.md. Needs gcc, chromium and HEDDLE.
set -eu
HEDDLE=$(realpath "${HEDDLE:-build/bin/heddle}")
docs=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed -n '/^```c file=queue.c/,/^```/p' "$docs/tutorial.md" | sed '1d;$d' >queue.c
gcc -g -O1 -fsanitize=thread queue.c -o queue
"$HEDDLE" test --seed 1 -- ./queue >out 2>err || true
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1100,760 \
    --screenshot="$docs/report.png" "file://$work/.heddle/findings/latest/report.html" >/dev/null 2>&1
{
    echo "\$ gcc -g -fsanitize=thread queue.c -o queue"
    echo "\$ heddle test -- ./queue"
    sed -n '/^FINDING/,/assertion fails/p' out
    echo "  ..."
    sed -n '/^Do it again/,/replay.heddle$/p' out
    tail -n 1 err
} | awk '
    function text(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/ /, "\\&#160;", s); return s }
    { line[NR] = $0 }
    END {
        h = NR * 18 + 32
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"%d\" viewBox=\"0 0 760 %d\">\n", h, h
        printf "<rect width=\"760\" height=\"%d\" rx=\"8\" fill=\"#161b22\"/>\n", h
        print "<g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\" fill=\"#e6edf3\">"
        for (i = 1; i <= NR; i++) {
            c = line[i] ~ /^\$/ ? " fill=\"#7ee787\"" : line[i] ~ /^(FINDING|>)/ ? " fill=\"#ff7b72\"" : line[i] ~ /^heddle:/ ? " fill=\"#8b949e\"" : ""
            printf "<text x=\"16\" y=\"%d\"%s>%s</text>\n", 16 + i * 18, c, text(line[i])
        }
        print "</g>\n</svg>"
    }' >"$docs/terminal.svg"
