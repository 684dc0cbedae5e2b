#!/usr/bin/env bash
# heddle gen: reads an API, finds what no order of calls explains, leaves a correct one in
# peace, and says what is wrong with bad input.
. "$(dirname "$0")/lib.bash"
SRC=$ROOT/tests/gen

ldconfig -p | grep -q 'libclang.*\.so' || { echo "ok 1 # skip: no libclang"; exit 0; }

heddle gen --header "$SRC/c/ring.h" --seed 1 -- "$SRC/c/ring.c"
expect 66 "a ring whose last place is given twice" "no order of these"
check "what was understood is printed" grep -q "makes *ring_new(int): struct ring" err
file=$(ls .heddle/findings/check-*/gen_*.c)
check "the finding has a program" test -s "$file"
for cc in gcc clang; do
    check "which $cc compiles without a warning" $cc -Wall -Wextra -Werror -c "$file" -o /dev/null
done
heddle replay --times 20 .heddle/findings/latest/replay.heddle
expect 66 "and whose schedule fails each time" "20 of 20"

cp "$SRC/c/ring.h" "$SRC/c/ring.c" .
heddle gen --header ring.h --runs 200 --seed 1 -- -DFIXED ring.c
expect 0 "the corrected one is left in peace; a header beside it"

heddle gen --header "$SRC/c/ring.h" --write-spec ring.toml
expect 0 "the guess can be written"
check "as TOML" grep -q '^name = "ring_put"' ring.toml
printf '[[function]]\nname = "ring_put"\nrole = "leave-out"\n' >less.toml
heddle gen --header "$SRC/c/ring.h" --spec less.toml --runs 100 --seed 1 -- "$SRC/c/ring.c"
expect 0 "what the spec leaves out is not called"
printf '[[function]]\nname = "ring_pvt"\n' >wrong.toml
heddle gen --header "$SRC/c/ring.h" --spec wrong.toml -- "$SRC/c/ring.c"
expect 99 "a spec with a wrong name" "wrong.toml:1.*ring_pvt"

cat >plain.h <<'END'
struct box;
struct box *box_new(void);
void box_free(struct box *b);
int box_add(struct box *b, int by);
END
cat >plain.c <<'END'
#include "plain.h"
#include <stdlib.h>
struct box { int n; };
struct box *box_new(void) { return calloc(1, sizeof(struct box)); }
void box_free(struct box *b) { free(b); }
int box_add(struct box *b, int by) { return b->n += by; }
END
heddle gen --header plain.h --runs 100 --seed 1 -- plain.c
expect 0 "what is not made for sharing is said once, and not accused" "uses any synchronization"
heddle gen --header plain.h --contract thread-safe --seed 1 -- plain.c
expect 66 "unless it is said to be" "no order of these [0-9]+ calls gives this *before"
heddle gen --header plain.h --contract lock --runs 100 --seed 1 -- plain.c
expect 0 "or to have one lock outside"

echo 'int broken(int a;);' >broken.h
heddle gen --header broken.h -- x.c
expect 99 "a header that does not compile: the compiler's words" "broken.h:1.*error"
echo 'struct s; int s_get(struct s *s);' >none.h
heddle gen --header none.h -- x.c
expect 98 "no constructor" "no constructor was found that makes a struct s"
heddle gen -- x.c
expect 64 "without a header" "gen wants --header"
finish
