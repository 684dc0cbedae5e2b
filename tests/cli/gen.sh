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

heddle gen --header "$SRC/c/ring.h" --seed 1 --pick map-random --dir other --no-confirm -- "$SRC/c/ring.c"
expect 66 "pairs of calls by chance, runs driven into patterns"
heddle gen --header "$SRC/c/ring.h" --seed 1 --pick covcon --dir rival --no-confirm -- "$SRC/c/ring.c"
expect 66 "pairs of calls that hardly overlapped, runs by chance"
heddle gen --header "$SRC/c/ring.h" --pick maps -- "$SRC/c/ring.c"
expect 64 "a word that --pick does not know" "map, covcon, random, map-random; not 'maps'"
for pick in random map; do
    rm -rf other
    heddle gen --header "$SRC/c/ring.h" --seed 1 --pick $pick --dir other --no-confirm -k --runs 400 --json r.json -- "$SRC/c/ring.c"
    check "--pick $pick, so many runs: patterns, pairs and different failures are counted" jq -e \
        '.runs >= 400 and .patterns_covered > 0 and .pairs_covered > 0 and .causes > 0 and .causes <= .findings and
        (.by_pattern | length == 18) and (.by_pattern | add) == .findings and
        (.curve | length == 20 and .[0].patterns <= .[19].patterns and .[19].causes > 0)' r.json
    check "--pick $pick: nothing interrupted it" jq -e '.interrupted == false' r.json
done
# Figures of a part must not be taken for the whole: with findings the exit status does not tell.
rm -f r.json
timeout --foreground -s INT 5 "$HEDDLE" gen -q --header "$SRC/c/ring.h" --seed 1 --dir other --no-confirm -k --runs 100000000 --json r.json \
    -- "$SRC/c/ring.c" >/dev/null 2>&1 </dev/null
check "a campaign that a signal ended says so" jq -e '.interrupted == true and .runs < 100000000' r.json
rm -rf other
heddle gen --header "$SRC/c/ring.h" --seed 1 --contract thread-safe --no-race --without-locks all --dir other \
    --no-confirm -k --runs 100 --json r.json -- -DFIXED "$SRC/c/ring.c"
expect 66 "a correct ring without its locks fails" "left out"
heddle gen --header "$SRC/c/ring.h" --without-locks ring_put -- "$SRC/c/ring.c"
expect 64 "functions cannot be named here" "gen knows --without-locks all"

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

cat >flag.h <<'END'
struct flag;
struct flag *flag_new(void);
void flag_free(struct flag *f);
void flag_raise(struct flag *f);
int flag_is_up(const struct flag *f);
END
cat >flag.c <<'END'
#include "flag.h"
#include <pthread.h>
#include <stdlib.h>
struct flag { pthread_mutex_t lock; int up; };
struct flag *flag_new(void) { return calloc(1, sizeof(struct flag)); }
void flag_free(struct flag *f) { free(f); }
void flag_raise(struct flag *f) { pthread_mutex_lock(&f->lock); f->up = 1; pthread_mutex_unlock(&f->lock); }
int flag_is_up(const struct flag *f) { return f->up; }
END
races() { HEDDLE_OPTIONS= heddle gen --header flag.h --runs 50 --seed 1 "$@" -- flag.c; }
races --contract thread-safe
expect 66 "an unlocked read of what is said to be thread-safe is a race" "FINDING race-.*flag_raise"
races --contract thread-safe --no-race
expect 0 "unless races are not wanted"
races
expect 0 "or nothing is said about it"

# What users meet in other people's headers: options and errors as structures, calls for those who
# hold the lock, files, calls that need another one first, queues that count who waits.
cat >mail.h <<'END'
#include <stdio.h>
struct mail;
struct mail_error { int code; char text[40]; };
struct mail *mail_new(void);
void mail_free(struct mail *m);
void mail_lock(struct mail *m);
void mail_unlock(struct mail *m);
int mail_put(struct mail *m, int letter, struct mail_error *why);
int mail_put_unlocked(struct mail *m, int letter, struct mail_error *why);
int mail_take(struct mail *m);
void mail_stamp(struct mail *m);
int mail_stamped(struct mail *m);
int mail_length(struct mail *m);
int mail_print(struct mail *m, FILE *to);
char *mail_name(struct mail *m);
END
cat >mail.c <<'END'
#include "mail.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct mail { pthread_mutex_t lock; pthread_cond_t some; int n, waiting, stamps, letter[64]; };
struct mail *mail_new(void) { return calloc(1, sizeof(struct mail)); }
void mail_free(struct mail *m) { free(m); }
void mail_lock(struct mail *m) { pthread_mutex_lock(&m->lock); }
void mail_unlock(struct mail *m) { pthread_mutex_unlock(&m->lock); }
int mail_put_unlocked(struct mail *m, int letter, struct mail_error *why)
{
    why->code = letter < 0 || m->n == 64;
    if (!why->code)
        m->letter[m->n++] = letter;
    pthread_cond_signal(&m->some);
    return why->code;
}
int mail_put(struct mail *m, int letter, struct mail_error *why)
{
    mail_lock(m);
    int e = mail_put_unlocked(m, letter, why);
    mail_unlock(m);
    return e;
}
int mail_take(struct mail *m)
{
    mail_lock(m);
    m->waiting++;
    while (!m->n)
        pthread_cond_wait(&m->some, &m->lock);
    m->waiting--;
    int letter = m->letter[--m->n];
    mail_unlock(m);
    return letter;
}
void mail_stamp(struct mail *m) { mail_lock(m); m->stamps++; mail_unlock(m); }
int mail_stamped(struct mail *m) { mail_lock(m); assert(m->stamps); int n = m->stamps; mail_unlock(m); return n; }
int mail_length(struct mail *m) { mail_lock(m); int n = m->n - m->waiting; mail_unlock(m); return n; }
int mail_print(struct mail *m, FILE *to) { mail_lock(m); int n = fprintf(to, "%d\n", m->n); mail_unlock(m); return n; }
char *mail_name(struct mail *m) { mail_lock(m); char *name = strdup(m->n ? "some" : "none"); mail_unlock(m); return name; }
END
heddle gen --header mail.h --runs 600 --seed 1 -- mail.c
expect 0 "structures of the caller's, calls under a lock, files, texts; who waits may be counted" "12 understood, 0 left out"
check "calls for those who hold the lock" grep -q "mail_put_unlocked(.*under mail_lock" err
check "a call that fails alone is called in other states" grep -q "mail_stamped() fails .*other states" err
heddle gen --header mail.h --runs 50 --seed 1 -- mail.c
expect 0 "the next call goes on" "going on after [0-9]+ tests of earlier calls"
sed -i 's/m->stamps++/m->stamps += 2/' mail.c
heddle gen --header mail.h --runs 50 --seed 1 -- mail.c
expect 0 "and with what changed, if something did" "1 of [0-9]+ operations run through changed code"

# Texts of the library's are compared by what they say: `a pointer` is the same in all orders.
cat >sign.h <<'END'
struct sign;
struct sign *sign_new(void);
void sign_free(struct sign *s);
void sign_set(struct sign *s, unsigned to);
const char *sign_text(struct sign *s);
void sign_use(void *(*make)(unsigned long), void (*drop)(void *));
int sign_debug(struct sign *s, const char *format, ...);
END
cat >sign.c <<'END'
#include "sign.h"
#include <pthread.h>
#include <stdlib.h>
struct sign { pthread_mutex_t lock; char text[4]; };
static void (*hook)(void *);
int sign_last;
struct sign *sign_new(void) { return calloc(1, sizeof(struct sign)); }
void sign_free(struct sign *s) { free(s); }
void sign_set(struct sign *s, unsigned to)
{
    pthread_mutex_lock(&s->lock);
    s->text[0] = "ab"[to & 1];
#ifndef FIXED
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&s->lock);
#endif
    s->text[1] = "ab"[to & 1];
    pthread_mutex_unlock(&s->lock);
}
const char *sign_text(struct sign *s)
{
    static const char *const text[] = {"", "aa", "bb", "ab", "ba"};
    pthread_mutex_lock(&s->lock);
    char a = s->text[0], b = s->text[1];
    pthread_mutex_unlock(&s->lock);
    sign_last = a;
    return text[!a ? 0 : a == b ? 1 + (a == 'b') : 3 + (a == 'b')];
}
void sign_use(void *(*make)(unsigned long), void (*drop)(void *)) { hook = drop; (void)make; }
int sign_debug(struct sign *s, const char *format, ...) { return format && s; }
END
heddle gen --header sign.h --seed 1 -- sign.c
expect 66 "a text that was never set" 'sign_text\(\) = a pointer, "(ab|ba|a|b)"'
check "what sets the library up is never called beside others" grep -q "sign_use(.*never beside another call" err
check "variable arguments are left out, with the reason" grep -q "left out *sign_debug(.*variable number" err
rm -rf .heddle
heddle gen --header sign.h --seed 1 --runs 300 -- -DFIXED sign.c
expect 0 "and whole ones are left in peace"
check "globals that are written without a lock are named" grep -q "sign_text: global variables are written without a lock" err

# Names that are short where the header has them, and need what is around them elsewhere.
cat >spaces.hpp <<'END'
#include <mutex>
#include <string>
namespace a { namespace b {
enum class Level { Low, High };
class Box {
public:
    enum Mode { Soft, Hard };
    void set(Mode m, Level l) { std::lock_guard<std::mutex> g(lock_); mode_ = m; level_ = l; }
    Mode mode() const { std::lock_guard<std::mutex> g(lock_); return mode_; }
    void get(Mode *to) { std::lock_guard<std::mutex> g(lock_); *to = mode_; }
    void name(const std::string &s) { std::lock_guard<std::mutex> g(lock_); name_ = s; }
private:
    mutable std::mutex lock_;
    Mode mode_ = Soft;
    Level level_ = Level::Low;
    std::string name_;
};
} }
END
heddle gen --header spaces.hpp --runs 20 --seed 1 --
expect 0 "C++: enumerations of namespaces and classes" "Box::set\(a::b::Box::Mode, a::b::Level\)"

# Declarations that no library has, and macros in the place of functions, do not stop it.
sed 's/^int box_add.*/&\nint box_missing(struct box *b);\nvoid box_swap(struct box *b, int to);\n#define box_swap(b) (b)->there/' \
    plain.h >holes.h
heddle gen --header holes.h --runs 50 --seed 1 -- -include plain.h plain.c
expect 0 "functions that the driver cannot be built with are left out" "box_missing is left out: no library"
check "with the reason" grep -q "box_swap is left out: .*box_swap" err
for i in $(seq 300); do echo "int box_n$i(struct box *b);"; done | cat plain.h - >huge.h
for i in $(seq 300); do echo "int box_n$i(struct box *b) { return $i + !b; }"; done | cat plain.c - >huge.c
heddle gen --header huge.h --time 4s --seed 1 -- huge.c
expect 0 "hundreds of functions: the time is shared" "303 functions, 250 understood"
check "what is one too many is told in a line" test "$(grep -c 'enough at a time' err)" = 1
check "... with its number" grep -q "left out *[0-9]* functions from box_n[0-9]* on: 250 functions are enough" err
check "tests are run, too" grep -q "[1-9][0-9]* tests, [1-9][0-9]* runs with threads" err

echo 'int broken(int a;);' >broken.h
heddle gen --header broken.h -- x.c
expect 99 "a header that does not compile: the compiler's words" "broken.h:1.*error"
cat >wire.h <<'END'
struct wire;
struct wire *wire_new(void);
void wire_free(struct wire *w);
int wire_log(struct wire *w, int fd);
int wire_attach(struct wire *w, int log_fd);
void wire_cleanup(void);
END
cat >wire.c <<'END'
#include "wire.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct wire { pthread_mutex_t lock; int fd; };
struct wire *wire_new(void)
{
    struct wire *w = calloc(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    return w;
}
void wire_free(struct wire *w) { free(w); }
int wire_log(struct wire *w, int fd)
{
    pthread_mutex_lock(&w->lock);
    long n = write(fd, "DESCRIPTOR IN USE", 17);
    pthread_mutex_unlock(&w->lock);
    return (int)n;
}
void wire_cleanup(void) { abort(); }
int wire_attach(struct wire *w, int log_fd)
{
    pthread_mutex_lock(&w->lock);
    w->fd = log_fd;
    pthread_mutex_unlock(&w->lock);
    return close(log_fd);
}
END
heddle gen --header wire.h --seed 1 --runs 20 -- wire.c
expect 0 "numbers of open files are not made up: Heddle has open files, too" "[1-9] tests"
check "results do not depend on what is open" sh -c '! grep -q "failed in the driver" err'
check "what takes a library down is never called beside others" \
    grep -q "wire_cleanup(): takes the library down: never beside another call" err
heddle gen --header wire.h --write-spec wire.toml
check "a spec shows it" grep -q 'values.log_fd = \["-1"\]' wire.toml
printf '#include "is_not_there.h"\nint f(void);\n' >broken.h
heddle gen --header broken.h -- x.c
expect 99 "a file that the header includes is missing" "broken.h:1:10: fatal error: .is_not_there.h. file not found"
echo 'size_t f(word a);' >second.h
heddle gen --header second.h -- x.c
expect 99 "a header that needs others before it" "second.h:1.*unknown type name.*name a header that includes them first, and a --prefix"
heddle gen --header is_not_there.h -- x.c
expect 99 "there is no such header" "cannot read the header is_not_there.h: No such file"
cat >template.hpp <<'END'
template <class T> class Box { public: void put(T v) { value = v; } T get() const { return value; } private: T value{}; };
END
heddle gen --header template.hpp
expect 98 "a class template without an instance" "left out *Box: is a template: name an instance, as 'using A = Box<int>;'"
check "no function of it is called" grep -q "no function of .*template.hpp can be called" err
echo 'class Base { public: virtual int get() = 0; virtual ~Base() {} };' >abstract.hpp
heddle gen --header abstract.hpp
expect 98 "an interface" "left out *Base: has methods without a body: there are no objects of it"
cat >members.hpp <<'END'
#include "template.hpp"
#include <mutex>
using IntBox = Box<int>;
class Bag {
public:
    template <class T> void any(T v) { add(static_cast<int>(v)); }
    void add(int v) { std::lock_guard<std::mutex> hold(lock); sum += v; }
    int total() const { std::lock_guard<std::mutex> hold(lock); return sum; }
private:
    mutable std::mutex lock;
    int sum = 0;
};
END
heddle gen --header members.hpp --runs 20 --seed 1
expect 0 "a class with a method template" "left out *Bag::any\(\): is a template"
check "a template that has an instance is not listed" sh -c '! grep -q "left out *Box" err'
echo 'struct s; int s_get(struct s *s);' >none.h
heddle gen --header none.h -- x.c
expect 98 "no constructor" "no constructor was found that makes a struct s"
heddle gen -- x.c
expect 64 "without a header" "gen wants --header"
finish
