# input.bash: a file to be compressed. Sourced.

# prose BYTES: text that compresses like prose: words drawn from a small vocabulary.
prose() {
    awk -v n="$1" 'BEGIN {
        srand(1)
        for (i = 0; i < 3000; i++) {
            w = ""
            for (k = 2 + int(rand() * 8); k > 0; k--) w = w sprintf("%c", 97 + int(rand() * 26))
            word[i] = w
        }
        for (size = 0; size < n; size += length(line) + 1) {
            line = ""
            for (k = 0; k < 12; k++) line = line word[int(3000 * rand() ^ 2)] " "
            print line
        }
    }' | head -c "$1"
}
