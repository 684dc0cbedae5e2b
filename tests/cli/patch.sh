#!/usr/bin/env bash
# In runs that are long, calls of hooks that have nothing to do leave the code, and only
# these.
. "$(dirname "$0")/lib.bash"

# Two threads pass an array to and fro. It looks at its own code at the beginning and at the
# end, and tells whether it is as in the first run, which learns.
cat >pass.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { N = 250000, PASSES = 4 };
struct item { long key; char name[24]; };
static struct item *from, *to;
static pthread_barrier_t barrier;
static volatile int is_done;

static __attribute__((noinline)) long next(long key) { return key * 31 + 1; }
static __attribute__((noinline)) void move(struct item *t, const struct item *f, size_t size)
{
    memcpy(t->name, f->name, size); /* a call with a site, which must stay */
    t->key = next(f->key);          /* a call without */
}
static void *work(void *arg)
{
    long me = (long)arg;
    for (int p = 0; p < PASSES; p++) {
        struct item *in = p % 2 ? to : from, *out = p % 2 ? from : to;
        for (long i = me * N / 2; i < (me + 1) * N / 2; i++)
            move(&out[N - 1 - i], &in[i], sizeof in[i].name);
        pthread_barrier_wait(&barrier);
    }
    if (!me) {
        usleep(1000);
        is_done = 1;
    }
    return NULL;
}
static __attribute__((no_sanitize("thread"))) unsigned long code(void)
{
    unsigned long sum = 0;
    for (int i = 0; i < 256; i++)
        sum = sum * 131 + ((const unsigned char *)(unsigned long)move)[i];
    return sum;
}
int main(int argc, char **argv)
{
    pthread_t t;
    unsigned long first, before = code();
    FILE *whole = fopen("whole", "a+");
    if (fscanf(whole, "%lu", &first) != 1) {
        first = before;
        fprintf(whole, "%lu", first);
    }
    fclose(whole);
    FILE *runs = fopen("runs", "a+");
    fputc('.', runs);
    long run = ftell(runs);
    fclose(runs);
    from = calloc(N, sizeof *from);
    to = calloc(N, sizeof *to);
    for (long i = 0; i < N; i++) {
        from[i].key = i;
        snprintf(from[i].name, sizeof from[i].name, "item %ld", i);
    }
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work, NULL);
    work((void *)1);
    int is_waiting = argc > 1 && run == atol(argv[1]); /* for a plain flag, in this run */
    if (!is_waiting)
        pthread_join(t, NULL);
    while (!is_done)
        ;
    if (is_waiting)
        pthread_join(t, NULL);
    int bad = 0;
    for (long i = 0; i < N; i++) {
        long want = i;
        char name[24];
        for (int p = 0; p < PASSES; p++)
            want = next(want);
        snprintf(name, sizeof name, "item %ld", i);
        bad |= from[i].key != want || strcmp(from[i].name, name);
    }
    FILE *said = fopen("said", "a");
    fprintf(said, "%ld %s %s\n", run, before == first ? "whole" : "patched",
            code() == first ? "whole" : "patched");
    fclose(said);
    return bad;
}
END
for options in "-O0" "-O2 -fcf-protection" "-O1 -fno-plt -no-pie"; do
    build pass $options
    rm -f runs said whole
    heddle test --seed 1 --runs 8 -- ./pass
    expect 0 "the program works as before, built with $options"
    case $options in
    *no-plt*) check "calls of another form stay" test "$(grep -c patched said)" = 0 ;;
    *) check "calls of hooks were patched out" grep -q patched said ;;
    esac
    check "in runs that learn they are not" grep -q "^1 whole whole" said
done

# Also where nothing is observed; and once runs are known to be long, from their beginning.
build pass
rm -f runs said whole
heddle test --seed 1 --runs 16 --strategy pct --coverage none -- ./pass
expect 0 "runs that nobody observes"
check "the first one learns" grep -q "^1 whole whole" said
check "the others begin without the calls" grep -q "^1[0-5] patched patched" said

# So do runs that follow a schedule to judge a race, once one of each order had all accesses checked.
sed 's/^static volatile int is_done;/&\nlong last;/; s/^    if (!me) {/    last = me;\n&/' pass.c >racy.c
build racy
rm -f runs said whole
HEDDLE_OPTIONS= heddle races --seed 1 --runs 6 --no-minimize -- ./racy
expect 66 "a race in a long program" "last. is 1 at the end .5 of 5 runs.*last. is 0 at the end .5 of 5"
check "its orders are run without the calls" test "$(sed 1,7d said | grep -c "patched patched")" -gt 20
check "... each with all of them once" test "$(sed 1,7d said | grep -c "whole whole")" -ge 2

# What such a run finds is the same in a replay, which has all calls.
cat >late.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum { N = 400000, PASSES = 4 };
static volatile int flag;
static int seen, *cell;
static void *work(void *arg)
{
    long me = (long)arg;
    for (int p = 0; p < PASSES; p++)
        for (long i = me * N; i < (me + 1) * N; i++)
            cell[i] += (int)i;
    if (me) {
        flag = 1;
        flag = 2;
    } else {
        seen = flag;
    }
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    cell = calloc(2 * N, sizeof *cell);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(seen != 1);
    return 0;
}
END
build late -O1
late=0
for seed in 6 7 8; do
    rm -rf .heddle
    heddle test -q --seed $seed --strategy pct --coverage none --runs 200 --no-minimize --json r.json -- ./late
    expect 66 "a failure at the end of a long run, seed $seed"
    [ "$(jq '.findings[0].run' r.json)" -lt 9 ] || late=1 # the first 8 may learn
    heddle replay .heddle/findings/latest/replay.heddle --times 2
    expect 66 "... is replayed" "2 of 2 times"
done
check "in a run without calls" test $late = 1

# A thread that spins where everything was patched out is got out of there.
build pass
rm -f runs said whole
heddle test --seed 1 --runs 6 --timeout 30s --no-corpus -- ./pass 5
expect 0 "a loop that waits for a plain flag, patched out"
check "all runs got to the end" test "$(wc -l <said)" = 6
check "others stay patched out" grep -q "^4 .*patched" said

# A module that was unloaded: its place is the program's own memory now.
cat >lib.c <<'END'
int n;
int touch(void) { return ++n; }
END
gcc -g -fsanitize=thread -shared -fPIC lib.c -o lib.so || exit 1
cat >unload.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/mman.h>
static char *place;
static void *lib;
__attribute__((constructor)) static void load(void)
{
    lib = dlopen("./lib.so", RTLD_NOW);
    place = (char *)((unsigned long)dlsym(lib, "touch") & ~4095ul);
}
#define main pass
#include "pass.c"
#undef main
int main(int argc, char **argv)
{
    dlclose(lib);
    if (mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
             -1, 0) != place)
        return 9;
    int r = pass(argc, argv);
    *place = 1; /* was made read-only */
    return r;
}
END
build unload -ldl
rm -f runs said whole
heddle test --seed 1 --runs 8 -- ./unload
expect 0 "memory in the place of an unloaded module stays as it is"
check "calls of hooks were patched out there, too" grep -q patched said

exit $failed
