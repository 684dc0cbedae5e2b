#!/usr/bin/env bash
# Who may include whom: the tree draws the flow, and no edge runs against it.
. "$(dirname "$0")/lib.bash"

# Each folder and those it may use. Within the target one line of descent; in the
# host each may use those to its left.
cat >allowed <<'END'
base
error base
text base
event base error text
strategy base event
sched base event strategy
runtime base event strategy sched
watch base event runtime
order base event
observe base event order
predict base event order observe
detect base event order observe predict
search base text event order observe predict detect
symbol base event
store base error text event order observe
version base error text event symbol
process base error text event order observe predict detect search symbol store
cover base error text event order observe predict detect search symbol store version process
report base error text event order observe predict detect search symbol store version process strategy
minimize base error text event order observe predict detect search symbol store version process cover report strategy
script base error text event order observe predict detect search symbol store version process cover report strategy
plan base error text event order observe predict detect search symbol store version process cover report strategy
children base error text event order observe predict detect search symbol store version process cover report strategy script
campaign base error text event order observe predict detect search symbol store version process cover report minimize children script plan strategy
suite base error text event order observe predict detect search symbol store version process cover report minimize children script plan campaign strategy
gen base error text event order observe predict detect search symbol store version process cover report minimize children script plan campaign strategy
cli base error text event order observe predict detect search symbol store version process cover report minimize children script plan campaign suite gen strategy
END
# Libraries that one folder alone may know.
cat >owners <<'END'
sqlite3.h store
dwarf.h symbol
elfutils/ symbol
libelf.h symbol
gelf.h symbol
toml++/ script
capstone/ version
END

# edges SRC: every include that is not allowed, one line each.
edges() {
    (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' --include='*.cc' --include='*.def' .) |
        awk '
        FILENAME == "allowed" { known[$1] = 1; ok[$1, $1] = 1; for (i = 2; i <= NF; i++) ok[$1, $i] = 1; next }
        FILENAME == "owners" { owner[$1] = $2; next }
        {
            split($0, part, ":")
            split(part[1], path, "/") # ./folder/file
            from = path[2]
            if (!match($0, /[<"][^>"]*[>"]/)) next
            file = substr($0, RSTART + 1, RLENGTH - 2)
            is_ours = substr($0, RSTART, 1) == "\""
            where = part[1] ":" part[2] ": includes " file
            if (!(from in known)) { print where ": the folder " from " has no place in the order"; next }
            for (lib in owner)
                if (index(file, lib) == 1 && owner[lib] != from)
                    print where ": only " owner[lib] " may"
            if (!is_ours) next
            n = split(file, to, "/")
            if (file ~ /^\.\.?\// || file ~ /\.c$/) print where ": not by this name"
            else if (from == "event" && (to[1] == "error" || to[1] == "text") && path[3] !~ /^replay/)
                print where ": it is part of the target, which has no " to[1]
            else if (n < 2) print where ": name it by its folder"
            else if ((to[1] in known) && !((from, to[1]) in ok)) print where ": " from " may not use " to[1]
        }' allowed owners -
}

edges "$ROOT/src" >bad
check "no include runs against the order" test ! -s bad
sed 's/^/# /' bad
check "there were includes to look at" test "$(grep -rc '#include "' "$ROOT/src/sched/sched.c")" -gt 0

# Would a wrong edge be seen?
mkdir -p wrong/event wrong/base wrong/sched wrong/observe wrong/cli wrong/odd wrong/store
echo '#include "sched/sched.h"' >wrong/base/a.c
echo '#include "runtime/core/rt.h"' >wrong/sched/b.h
echo '#  include "runtime/core/rt.h"' >wrong/observe/c.c
echo '#include <sqlite3.h>' >wrong/cli/d.c
echo '#include "base/base.h"' >wrong/odd/e.c
echo '#include "../base/base.h"' >wrong/sched/f.c
echo '#include "thread.h"' >wrong/sched/g.c
echo '#include "error/error.h"' >wrong/event/h.h
echo '#include "error/error.h"' >wrong/event/replay/replay.h
printf '#include <sqlite3.h>\n#include "base/base.h"\n#include <string.h>\n' >wrong/store/good.c
edges wrong >seen
for f in base/a.c sched/b.h observe/c.c cli/d.c odd/e.c sched/f.c sched/g.c event/h.h; do
    check "a wrong include in $f is seen" grep -q "^./$f:1: " seen
done
check "and right ones are not" test "$(wc -l <seen)" = 8
finish
