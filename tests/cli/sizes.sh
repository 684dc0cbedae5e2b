#!/usr/bin/env bash
# Code that a reader can hold in mind: functions of at most 80 lines, files of at most 500, folders
# of at most 25 files, and what an event means in few places (docs/design/order.md).
. "$(dirname "$0")/lib.bash"

# functions MAX FILE...: a function is a "{" alone in column 1 up to the "}" in column 1.
functions() {
    local max=$1
    shift
    awk -v max="$max" '
        FNR == 1 { start = 0 }
        /^\{/ { start = FNR; name = before }
        /^\}/ { if (start && FNR - start + 1 > max) print FILENAME ":" start ": " FNR - start + 1 " lines: " name; start = 0 }
        { before = $0 }' "$@"
}
lines() { # lines MAX FILE...
    local max=$1
    shift
    awk -v max="$max" 'FNR == 1 && NR > 1 { if (n > max) print file ": " n " lines" } { file = FILENAME; n = FNR }
        END { if (n > max) print file ": " n " lines" }' "$@"
}
folders() { # folders MAX DIR
    find "$2" -type d | while read -r d; do
        n=$(find "$d" -maxdepth 1 -type f | wc -l)
        [ "$n" -le "$1" ] || echo "$d: $n files"
    done
}
event_lists() { grep -rlE 'case HD_EV_' "$1" | grep -v '/event/'; }

mapfile -t src < <(find "$ROOT/src" "$ROOT/include" -name '*.[ch]' -o -name '*.cc' -o -name '*.def' -o -name '*.sql')
mapfile -t code < <(find "$ROOT/src" "$ROOT/tests/unit" "$ROOT/tests/conform" "$ROOT/tests/stat" \( -name '*.[ch]' -o -name '*.cc' \))
functions 80 "${code[@]}" >long
check "no function is longer than 80 lines" test ! -s long
sed 's/^/# /' long
lines 500 "${src[@]}" >large
check "no file is longer than 500 lines" test ! -s large
sed 's/^/# /' large
folders 25 "$ROOT/src" >full
check "no folder has more than 25 files" test ! -s full
sed 's/^/# /' full
event_lists "$ROOT/src" >lists
check "lists of kinds of events stand in at most 8 files" test "$(wc -l <lists)" -le 8

# Would they be noticed?
mkdir -p d/full d/event
for i in $(seq 26); do : >d/full/$i.c; done
{ echo 'int f(void)'; echo '{'; seq -f '    x%g;' 79; echo '}'; } >d/long.c
seq 501 >d/large.c
echo '    case HD_EV_LOCK:' >d/list.c
check "81 lines are" grep -q 'd/long.c:2: 81 lines: int f' <(functions 80 d/long.c)
check "80 are fine" test -z "$(functions 81 d/long.c)"
check "501 lines of a file are" grep -q 'd/large.c: 501' <(lines 500 d/long.c d/large.c)
check "26 files are" grep -q 'd/full: 26' <(folders 25 d)
check "a list is" grep -q 'd/list.c' <(event_lists d)
finish
