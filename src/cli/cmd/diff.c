/* diff.c: heddle diff: what a new build changes for concurrency, before any run.
 * docs/cmd/diff.md */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "observe/element.h"
#include "report/clean.h"
#include "suite/recall.h"
#include "version/compare.h"

#define MAX_LISTED 40 /* rows of one kind */

struct pair {
    u32 a, b; /* functions of the new build that may run at the same time */
};

struct diff {
    const struct hd_options *o;
    struct hd_fingerprints was, is;
    struct hd_comparison c;
    struct hd_store *st;          /* NULL = nothing is remembered about OLD */
    s64 build;                    /* OLD, as the store knows it */
    s64 input;                    /* 0 = all of them */
    bool has_profile;             /* a cheap run of it is known */
    u64 key;                      /* the build, in identities of its places */
    HD_VEC(struct pair) pairs;
    HD_VEC(s64) rows;             /* sites of the cfp elements, two each */
    u32 warnings;
};

/* ---- what changed ------------------------------------------------------------------ */

static const struct hd_compared *change_of(const struct diff *d, u32 after)
{
    return &d->c.v.at[after]; /* the first ones are in the order of the new build */
}

static bool is_changed(const struct diff *d, u32 after)
{
    enum hd_change change = change_of(d, after)->change;
    return change == HD_CHANGED || change == HD_ADDED;
}

/* Its name as the user wrote it; holds until the next but one is asked for. */
static const char *name_of(const struct hd_fingerprint *f)
{
    static char buf[2][512];
    static u32 next;
    char *to = buf[next++ % 2];
    return hd_symname_cxx(f->name, to, sizeof buf[0]) ? to : f->name;
}

static void print_place(const struct hd_fingerprint *f)
{
    if (f->file && f->file[0] && f->line)
        hd_clean_printf(stdout, " at %s:%u", f->file, f->line);
}

static bool has_own(const struct hd_fingerprints *f, u32 function, u64 own)
{
    const struct hd_fingerprint *at = &f->v.at[function];
    for (u32 i = at->piece + 1; i < at->piece + at->pieces; i++)
        if (f->pieces.at[i].own == own)
            return true;
    return false;
}

/* Was it told already? A function may be inlined more than once. */
static bool is_named(const struct diff *d, const struct hd_compared *c, u32 piece)
{
    const struct hd_piece *p = d->is.pieces.at;
    for (u32 i = d->is.v.at[c->after].piece + 1; i < piece; i++)
        if (p[i].line == p[piece].line && !strcmp(p[i].name, p[piece].name) && !has_own(&d->was, c->before, p[i].own))
            return true;
    return false;
}

/* Of a function that is the same but for what was inlined into it: what that is. */
static void print_inlined(const struct diff *d, const struct hd_compared *c)
{
    const struct hd_fingerprint *a = &d->was.v.at[c->before], *b = &d->is.v.at[c->after];
    u32 n = 0;
    if (!a->pieces || !b->pieces || d->was.pieces.at[a->piece].own != d->is.pieces.at[b->piece].own)
        return;
    for (u32 i = b->piece + 1; i < b->piece + b->pieces; i++) {
        const struct hd_piece *p = &d->is.pieces.at[i];
        if (has_own(&d->was, c->before, p->own) || !p->name[0] || is_named(d, c, i))
            continue;
        hd_clean_printf(stdout, "%s%s()", n++ ? ", " : ": only ", p->name);
        if (p->file[0] && p->line)
            hd_clean_printf(stdout, " of %s:%u", p->file, p->line);
    }
    if (n)
        printf(", inlined there%s", d->was.pieces.at[a->piece].hash == d->is.pieces.at[b->piece].hash
               ? "" : "; threads wait or lock by it, so what is around it counts, too");
}

static void print_functions(const struct diff *d)
{
    static const char *const word[] = {
        [HD_SAME] = "same", [HD_RENAMED] = "renamed", [HD_CHANGED] = "changed",
        [HD_ADDED] = "new", [HD_REMOVED] = "removed",
    };
    u32 listed = 0, more = 0;
    printf("Functions: %u as before, %u renamed, %u changed, %u new, %u removed.\n",
           d->c.count[HD_SAME], d->c.count[HD_RENAMED], d->c.count[HD_CHANGED],
           d->c.count[HD_ADDED], d->c.count[HD_REMOVED]);
    for (size_t i = 0; i < d->c.v.n; i++) {
        const struct hd_compared *f = &d->c.v.at[i];
        if (f->change == HD_SAME)
            continue;
        if (listed++ >= MAX_LISTED) {
            more++;
            continue;
        }
        const struct hd_fingerprint *at =
            f->after != HD_NO_FUNCTION ? &d->is.v.at[f->after] : &d->was.v.at[f->before];
        printf("  %-8s ", word[f->change]);
        hd_clean_put(stdout, name_of(at));
        print_place(at);
        if (f->change == HD_RENAMED)
            hd_clean_printf(stdout, " (was %s)", name_of(&d->was.v.at[f->before]));
        if (f->change == HD_CHANGED)
            print_inlined(d, f);
        putchar('\n');
    }
    if (more)
        printf("  ... and %u more\n", more);
    if (d->c.count[HD_SAME] + d->c.count[HD_RENAMED] < d->is.v.n - d->c.count[HD_SAME] - d->c.count[HD_RENAMED])
        printf("Most functions are other code, as after a change of the compiler or of its options.\n");
}

/* ---- functions that run at the same time ------------------------------------------- */

static int take_pair(void *self, const struct hd_store_seen *s)
{
    struct diff *d = self;
    if (s->what.n == 2) {
        *hd_vec_add(&d->rows) = s->what.site[0];
        *hd_vec_add(&d->rows) = s->what.site[1];
    }
    return 0;
}

/* The function of the new build that an address of the old one belongs to. */
static u32 function_at(const struct diff *d, u64 offset)
{
    for (size_t i = 0; i < d->c.v.n; i++) {
        u32 was = d->c.v.at[i].before;
        if (was != HD_NO_FUNCTION && offset - d->was.v.at[was].start < d->was.v.at[was].size)
            return d->c.v.at[i].after;
    }
    return HD_NO_FUNCTION;
}

static u32 function_now(const struct diff *d, s64 row)
{
    struct hd_store_site s;
    return hd_store_site_get(d->st, row, &s) || s.build != d->build ? HD_NO_FUNCTION
                                                                    : function_at(d, s.offset);
}

static void add_pair(struct diff *d, u32 a, u32 b)
{
    struct pair p = {HD_MIN(a, b), HD_MAX(a, b)};
    for (size_t i = 0; i < d->pairs.n; i++)
        if (d->pairs.at[i].a == p.a && d->pairs.at[i].b == p.b)
            return;
    if (p.b != HD_NO_FUNCTION) /* the largest number */
        *hd_vec_add(&d->pairs) = p;
}

/* Of a cheap run of `heddle suite`. */
static int take_profile(void *self, const struct hd_store_profile *p)
{
    struct diff *d = self;
    const u64 *id = p->pairs, mask = ((u64)1 << HD_PLACE_BITS) - 1;
    d->has_profile = true;
    for (u32 i = 0; i + 1 < p->pairs_len / sizeof *id; i += 2)
        if (id[i] >> HD_PLACE_BITS == d->key && id[i + 1] >> HD_PLACE_BITS == d->key)
            add_pair(d, function_at(d, id[i] & mask), function_at(d, id[i + 1] & mask));
    return 0;
}

static int load_pairs(struct diff *d, s64 input)
{
    int e = hd_store_elements(d->st, d->build, hd_metric_name(HD_METRIC_cfp), input, take_pair, d);
    for (size_t i = 0; i + 1 < d->rows.n && !e; i += 2)
        add_pair(d, function_now(d, d->rows.at[i]), function_now(d, d->rows.at[i + 1]));
    return e;
}

/* As heddle test knows an input. An empty standard input (CI) is as good as none (a terminal). */
static s64 input_of(struct diff *d, char **argv, bool *has_stdin)
{
    struct stat st;
    int from = hd_cli_stdin(d->o->quiet);
    *has_stdin = from >= 0 && (fstat(from, &st) || st.st_size);
    s64 input = hd_store_input(d->st, argv, from);
    if (input <= 0 && from >= 0 && !*has_stdin)
        input = hd_store_input(d->st, argv, -1);
    if (from >= 0)
        close(from);
    return HD_MAX(input, (s64)0);
}

/* Of the input that was asked for. What the store knows of others does not count, unless it knows nothing of this
 * one: then all count, and that is said. */
static int load_asked(struct diff *d)
{
    char **argv = d->o->rest + 1; /* NEW, and its arguments */
    bool has_stdin = true;
    int e = 0;
    if (d->o->is_split)
        d->input = input_of(d, argv, &has_stdin);
    if (d->input)
        e = load_pairs(d, d->input);
    if (!e && !has_stdin)
        e = hd_suite_recall_args(d->st, d->build, argv, take_profile, d);
    if (e || d->rows.n || d->has_profile || (d->input && hd_store_was_tested(d->st, d->build, d->input) > 0))
        return e;
    if (d->o->is_split && !d->o->quiet)
        hd_cli_print("nothing is remembered about %s with this input: what follows is of all its inputs",
                     d->o->rest[0]);
    d->input = 0;
    e = load_pairs(d, 0);
    return e ? e : hd_store_profiles(d->st, d->build, "", 0, take_profile, d);
}

static void print_pairs(const struct diff *d)
{
    u32 listed = 0, n = 0;
    for (size_t i = 0; i < d->pairs.n; i++)
        n += is_changed(d, d->pairs.at[i].a) || is_changed(d, d->pairs.at[i].b);
    printf("Pairs of functions known to run at the same time: %zu, with a changed one: %u.\n",
           d->pairs.n, n);
    for (size_t i = 0; i < d->pairs.n && listed < MAX_LISTED; i++) {
        const struct pair *p = &d->pairs.at[i];
        if (!is_changed(d, p->a) && !is_changed(d, p->b))
            continue;
        hd_clean_printf(stdout, "  %s and %s\n", name_of(&d->is.v.at[p->a]), name_of(&d->is.v.at[p->b]));
        listed++;
    }
}

/* ---- warnings ---------------------------------------------------------------------- */

/* Is a lock of `a` one of `b`, and not held by both for reading alone? `is_kept`: ... and by `b` no less than by `a`. */
static bool have_common_lock(const struct hd_use *a, const struct hd_use *b, bool is_kept)
{
    for (u32 i = 0; i < HD_USE_LOCKS && a->lock[i].lock; i++)
        for (u32 k = 0; k < HD_USE_LOCKS && b->lock[k].lock; k++)
            if (a->lock[i].lock == b->lock[k].lock &&
                (is_kept ? a->lock[i].is_shared || !b->lock[k].is_shared
                         : !a->lock[i].is_shared || !b->lock[k].is_shared))
                return true;
    return false;
}

/* Did the function touch it before? is_bare: without a lock that `like` lacks. */
static bool has_use(const struct hd_fingerprints *f, u32 function, const struct hd_use *like,
                    bool is_bare)
{
    for (size_t i = 0; i < f->uses.n; i++) {
        const struct hd_use *u = &f->uses.at[i];
        if (u->function == function && u->is_write == like->is_write &&
            !strcmp(u->object, like->object) &&
            (!is_bare || !u->lock[0].lock || have_common_lock(u, like, true)))
            return true;
    }
    return false;
}

/* Are they to one object? Of members of a type only if a lock in it says that threads share it: each
 * thread may have an object of its own. */
static bool is_one(const struct hd_use *a, const struct hd_use *b)
{
    return !a->type || a->has_own_lock || b->has_own_lock;
}

/* An access to the same in a function that runs at the same time, without a common lock. */
static const struct hd_use *conflicts(const struct diff *d, const struct hd_use *use)
{
    for (size_t i = 0; i < d->pairs.n; i++) {
        const struct pair *p = &d->pairs.at[i];
        if (p->a != use->function && p->b != use->function)
            continue;
        u32 other = p->a == use->function ? p->b : p->a;
        for (size_t k = 0; k < d->is.uses.n; k++) {
            const struct hd_use *u = &d->is.uses.at[k];
            if (u->function == other && (u->is_write || use->is_write) &&
                !strcmp(u->object, use->object) && !have_common_lock(u, use, false) && is_one(u, use))
                return u;
        }
    }
    return NULL;
}

/* "sum", "stats+8": what is behind the name stays. */
static void print_object(const char *object)
{
    char symbol[600], plain[512];
    int n = (int)strcspn(object, "+");
    snprintf(symbol, sizeof symbol, "%.*s", n, object);
    if (hd_symname_cxx(symbol, plain, sizeof plain))
        hd_clean_printf(stdout, "%s%s", plain, object + n);
    else
        hd_clean_put(stdout, object);
}

static void print_use(const struct hd_use *use, struct hd_symbols *s)
{
    struct hd_srcloc l = {0};
    hd_symbols_code(s, use->at, false, &l, 1);
    if (l.file && l.line > 0)
        hd_clean_printf(stdout, " at %s:%d", l.file, l.line);
}

static void warn(struct diff *d, const struct hd_use *use, const struct hd_use *other,
                 struct hd_symbols *s)
{
    const char *name = name_of(&d->is.v.at[use->function]), *second;
    u32 before = change_of(d, use->function)->before;
    bool was_locked = before != HD_NO_FUNCTION && has_use(&d->was, before, use, false);
    printf("  `");
    print_object(use->object);
    hd_clean_printf(stdout, "` is now %s%s in %s()", was_locked ? "" : "also ", use->is_write ? "written" : "read",
                    name);
    print_use(use, s);
    if (was_locked)
        printf(" without the lock it was under before");
    if (other->function == use->function)
        hd_clean_printf(stdout, "; several threads are known to be in %s() at the same time; no lock "
                        "in common.\n", name);
    else {
        second = name_of(&d->is.v.at[other->function]);
        hd_clean_printf(stdout, "; %s() and %s() are known to run at the same time, and %s() %s it",
                        name, second, second, other->is_write ? "writes" : "reads");
        print_use(other, s);
        printf("; no lock in common.\n");
    }
    d->warnings++;
}

static bool is_told(const struct hd_use *const *told, size_t n, const struct hd_use *use)
{
    for (size_t i = 0; i < n; i++)
        if (told[i]->function == use->function && !strcmp(told[i]->object, use->object))
            return true;
    return false;
}

static void print_warnings(struct diff *d, const char *path)
{
    struct hd_symbols *s = hd_symbols_open_file(path);
    HD_VEC(const struct hd_use *) told = {0}; /* one warning for a function and variable is enough */
    for (size_t i = 0; i < d->is.uses.n; i++) {
        const struct hd_use *use = &d->is.uses.at[i];
        u32 before = change_of(d, use->function)->before;
        if (!is_changed(d, use->function) ||
            (before != HD_NO_FUNCTION && has_use(&d->was, before, use, true)) ||
            is_told(told.at, told.n, use))
            continue;
        const struct hd_use *other = conflicts(d, use);
        if (!other)
            continue;
        if (!d->warnings)
            printf("Without a run:\n");
        warn(d, use, other, s);
        *hd_vec_add(&told) = use;
    }
    if (!d->warnings && d->pairs.n)
        printf("Without a run: no new access that the code alone shows to conflict.\n");
    hd_vec_release(&told);
    hd_symbols_close(s);
}

/* ---- the command ------------------------------------------------------------------- */

static int read_build(struct hd_fingerprints *f, const char *path)
{
    int e = hd_fingerprints_make_uses(f, path);
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "%s: not a program that can be read", path);
    if (!f->v.n)
        return hd_cli_fail(HD_EXIT_FAILED, "%s has no symbols: nothing can be compared. Give the "
                           "build before it was stripped", path);
    if (!hd_fingerprints_has_lines(f))
        hd_cli_print("%s has no debug information: it is compared by symbols and code alone, and places have no lines", path);
    return 0;
}

/* What the store knows about OLD, which may have been built elsewhere: by its build-id. */
static void find_old(struct diff *d, const char *path)
{
    u8 id[32];
    struct hd_places places = {0};
    u32 n = hd_target_build_id(path, id, sizeof id);
    if (!n || hd_store_open(&d->st, d->o->dir, HD_STORE_READ, 0, NULL)) {
        d->st = NULL;
        return;
    }
    d->build = HD_MAX(hd_store_build(d->st, 0, id, n, path), (s64)0);
    u32 module = hd_places_module(&places, id, n, path); /* may move the list */
    d->key = places.module.at[module].key;
    hd_places_release(&places);
}

static int show(struct diff *d)
{
    struct hd_cover_inherited in = {0};
    struct hd_fingerprints known = {0};
    print_functions(d);
    find_old(d, d->o->rest[0]);
    if (!d->build) {
        if (!d->o->quiet)
            hd_cli_print("nothing is remembered about %s in %s: run 'heddle test' on it to see what "
                         "runs at the same time", d->o->rest[0], d->o->dir);
        return HD_EXIT_OK;
    }
    int e = load_asked(d);
    in.input = d->input;
    e = e ? e : hd_cover_functions(d->st, d->build, &known); /* its source may not be there any more */
    if (!e)
        e = hd_cover_inherit_from(d->st, d->build, 0, known.v.n ? &known : &d->was, &d->is, false, &in);
    hd_fingerprints_release(&known);
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "%s", hd_store_error(d->st));
    print_pairs(d);
    printf("Orders and other elements tested before: %llu hold, %llu are to be tested again.\n",
           (unsigned long long)in.kept, (unsigned long long)in.left);
    hd_cover_inherited_release(&in);
    print_warnings(d, d->o->rest[1]);
    return HD_EXIT_OK;
}

int hd_cmd_diff(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "diff", HD_FOR_diff, argv, &code))
        return code;
    struct diff d = {.o = &o};
    if (o.n_plain != 2)
        code = hd_cli_fail(HD_EXIT_USAGE, "two builds of a program: heddle diff OLD NEW [-- arguments]");
    else if (!(code = read_build(&d.was, o.rest[0])) && !(code = read_build(&d.is, o.rest[1]))) {
        hd_compare(&d.c, &d.was, &d.is);
        code = show(&d);
    }
    if (d.st)
        hd_store_close(d.st, NULL);
    hd_vec_release(&d.pairs);
    hd_vec_release(&d.rows);
    hd_comparison_release(&d.c);
    hd_fingerprints_release(&d.was);
    hd_fingerprints_release(&d.is);
    hd_options_release(&o);
    return code;
}
