/* guess.c: what functions are for, and which values their parameters get, from names and
 * types. Every guess can be corrected by a spec (spec.c). See api.h. */
#include "gen/api.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

/* ---- words in names --------------------------------------------------------------------- */

/* Is one of the words (ended by NULL) a word of the name: "queue_is_empty", "isEmpty"? */
static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++) {
        size_t n = strlen(*words);
        for (const char *at = name; *at; at++) {
            bool starts = at == name || at[-1] == '_' || at[-1] == ':' ||
                          (isupper((u8)*at) && !isupper((u8)at[-1]));
            bool ends = strlen(at) >= n &&
                        (!at[n] || at[n] == '_' || isupper((u8)at[n]) || isdigit((u8)at[n]));
            if (starts && ends && !strncasecmp(at, *words, n))
                return true;
        }
    }
    return false;
}
#define HAS(name, ...) has_word((name), (const char *const[]){__VA_ARGS__, NULL})

/* ---- parameters --------------------------------------------------------------------------- */

static bool is_size_name(const char *name)
{
    return HAS(name, "size", "len", "length", "n", "count", "cap", "capacity", "max", "bytes",
               "num", "sz");
}

static bool is_size(const struct hd_gen_param *p)
{
    return p->kind == HD_GEN_INT && (is_size_name(p->name) || !strcmp(p->type, "size_t"));
}

/* Memory with its size in the next parameter, and callbacks with what is handed to them. */
static void pair_params(struct hd_gen_func *f)
{
    for (u32 i = 0; i < f->n; i++) {
        struct hd_gen_param *p = &f->param[i], *next = i + 1 < f->n ? &f->param[i + 1] : NULL;
        bool is_memory = p->kind == HD_GEN_POINTER || p->kind == HD_GEN_STRING ||
                         p->kind == HD_GEN_BUFFER || p->kind == HD_GEN_DATA ||
                         p->kind == HD_GEN_OUT;
        if (is_memory && !p->is_ref && next && is_size(next)) {
            p->kind = p->is_const ? HD_GEN_DATA : HD_GEN_BUFFER;
            next->kind = HD_GEN_SIZE;
        }
        if (p->kind == HD_GEN_OUT_POINTER && next && is_size(next)) { /* room for some */
            p->kind = HD_GEN_BUFFER;
            next->kind = HD_GEN_SIZE;
        }
        if (p->kind == HD_GEN_CALLBACK && next && next->kind == HD_GEN_POINTER)
            next->kind = HD_GEN_CONTEXT;
    }
    for (u32 i = 0; i < f->n && f->role != HD_GEN_LEFT_OUT; i++) {
        struct hd_gen_param *p = &f->param[i];
        bool has_size = i + 1 < f->n && f->param[i + 1].kind == HD_GEN_SIZE;
        if ((p->kind == HD_GEN_BUFFER || p->kind == HD_GEN_DATA) && !has_size) {
            f->why = hd_gen_text("the size of what '%s' points to is not known", p->name);
            f->role = HD_GEN_LEFT_OUT;
        }
    }
}

static void give(struct hd_gen_param *p, const char *const *list)
{
    for (; p->value.n == 0 && *list;)
        for (; *list; list++)
            *hd_vec_add(&p->value) = hd_gen_copy(*list);
}

/* The number of an open file or socket. */
static bool is_descriptor(const struct hd_gen_param *p)
{
    bool is_socket = strstr(p->type, "socket_t") || strstr(p->type, "SOCKET");
    return p->kind == HD_GEN_INT &&
           (is_socket || (!strcmp(p->type, "int") && HAS(p->name, "fd", "fds", "fildes", "filedes", "sock", "socket", "descriptor")));
}

static void give_values(struct hd_gen_func *f)
{
    static const char *const room[] = {"2", "1", "3", "4", NULL};
    static const char *const flag[] = {"1", "0", NULL}, *const cxx_flag[] = {"true", "false", NULL};
    static const char *const wait[] = {"0", "1", NULL};
    static const char *const closed[] = {"-1", NULL}; /* other numbers are files of the driver or of Heddle */
    static const char *const number[] = {"1", "2", "3", "0", NULL};
    static const char *const letter[] = {"'a'", "'b'", NULL};
    static const char *const real[] = {"1.0", "2.0", "0.5", NULL};
    static const char *const string[] = {"\"a\"", "\"b\"", "\"c\"", NULL};
    static const char *const item[] = {"&item[0]", "&item[1]", "&item[2]", NULL};
    for (u32 i = 0; i < f->n; i++) {
        struct hd_gen_param *p = &f->param[i];
        if (p->kind == HD_GEN_INT && !strcmp(p->type, "bool"))
            give(p, cxx_flag);
        else if (p->kind == HD_GEN_INT && !strcmp(p->type, "_Bool"))
            give(p, flag);
        else if (p->kind == HD_GEN_INT && !strcmp(p->type, "char"))
            give(p, letter);
        else if (is_descriptor(p))
            give(p, closed);
        else if (p->kind == HD_GEN_INT && f->role == HD_GEN_MAKES)
            give(p, room);
        else if (p->kind == HD_GEN_INT &&
                 HAS(p->name, "timeout", "ms", "us", "ns", "sec", "seconds"))
            give(p, wait);
        else if (p->kind == HD_GEN_INT)
            give(p, number);
        else if (p->kind == HD_GEN_FLOAT)
            give(p, real);
        else if (p->kind == HD_GEN_STRING || p->kind == HD_GEN_DATA)
            give(p, string);
        else if (p->kind == HD_GEN_POINTER)
            give(p, item);
    }
}

/* ---- roles ------------------------------------------------------------------------------------
 */

/* An object that calls of several threads may have in common. */
static bool is_object(const struct hd_api *a, const struct hd_gen_param *p)
{
    return p->kind == HD_GEN_OBJECT && !a->type.at[p->object].is_plain;
}

static u32 n_objects(const struct hd_api *a, const struct hd_gen_func *f)
{
    u32 n = 0;
    for (u32 i = 0; i < f->n; i++)
        n += is_object(a, &f->param[i]);
    return n;
}

static bool all_const(const struct hd_api *a, const struct hd_gen_func *f)
{
    for (u32 i = 0; i < f->n; i++)
        if (is_object(a, &f->param[i]) && !f->param[i].is_const)
            return false;
    return true;
}

static bool is_maker(const struct hd_api *a, struct hd_gen_func *f)
{
    u32 objects = n_objects(a, f);
    bool is_named = HAS(f->name, "new", "create", "alloc", "init", "open", "make", "build");
    for (u32 i = 0; i < f->n; i++)
        if (f->param[i].kind == HD_GEN_OBJECT_OUT && (!objects || is_named)) {
            f->makes = HD_GEN_BY_OUT;
            f->object = f->param[i].object;
            return true;
        }
    if (f->result.kind == HD_GEN_OBJECT && !f->result.is_const &&
        (!objects || (is_named && !HAS(f->name, "get")))) {
        bool is_own = true; /* "list_new_child(list)" makes another of its own type */
        for (u32 i = 0; i < f->n; i++)
            is_own &= f->param[i].kind != HD_GEN_OBJECT || f->param[i].object != f->result.object;
        f->makes = HD_GEN_BY_RESULT;
        f->object = f->result.object;
        return is_own;
    }
    if (f->n && f->param[0].kind == HD_GEN_OBJECT && !f->param[0].is_const &&
        a->type.at[f->param[0].object].is_complete && HAS(f->name, "init", "initialize", "setup")) {
        f->makes = HD_GEN_IN_PLACE;
        f->object = f->param[0].object;
        return true;
    }
    return false;
}

static bool is_destroyer(const struct hd_gen_func *f)
{
    return f->n == 1 && f->param[0].kind == HD_GEN_OBJECT && !f->param[0].is_const &&
           HAS(f->name, "free", "destroy", "unref", "put", "close", "fini", "delete", "release",
               "cleanup", "dispose", "deinit", "term");
}

static void guess_role(struct hd_api *a, struct hd_gen_func *f)
{
    if (f->role == HD_GEN_LEFT_OUT || f->role == HD_GEN_MAKES)
        return;
    if (f->is_method) {
        if (f->is_const)
            f->role = HD_GEN_OBSERVES;
    } else if (is_destroyer(f)) {
        f->role = HD_GEN_DESTROYS;
        f->object = f->param[0].object;
    } else if (n_objects(a, f) &&
               (all_const(a, f) ||
                HAS(f->name, "size", "count", "length", "len", "empty", "full", "total", "value",
                    "sum", "peek", "contains", "has", "find", "lookup", "is"))) {
        f->role = HD_GEN_OBSERVES;
    }
}

/* "json_set_alloc_funcs(malloc_fn, free_fn)": sets the library up, before anything else. */
static bool is_set_up(const struct hd_api *a, const struct hd_gen_func *f)
{
    bool is_any = false;
    for (u32 i = 0; i < f->n; i++)
        is_any |= f->param[i].kind == HD_GEN_CALLBACK;
    return is_any && f->role == HD_GEN_OPERATION && !f->is_method && !n_objects(a, f) &&
           f->result.kind == HD_GEN_NONE;
}

/* "library_cleanup()": frees what all calls use, after everything else. */
static bool takes_down(const struct hd_gen_func *f)
{
    return !f->n && f->role == HD_GEN_OPERATION && !f->is_method &&
           HAS(f->name, "cleanup", "shutdown", "terminate", "deinit", "uninit", "finalize");
}

/* ---- pairs of calls that belong together
 * ---------------------------------------------------------- */

static const char *const partners[][2] = {
    {"ref", "unref"},     {"retain", "release"}, {"acquire", "release"}, {"lock", "unlock"},
    {"begin", "end"},     {"enter", "leave"},    {"get", "put"},         {"rdlock", "unlock"},
    {"wrlock", "unlock"}, {"ref", "put"},        {"ref", "release"},     {"get", "unref"},
    {"enter", "exit"},
};

/* Does f give back what g takes: the same object with nothing else, or what g returned? */
static bool gives_back(const struct hd_gen_func *f, const struct hd_gen_func *g)
{
    u32 others = 0;
    for (u32 i = 0; i < f->n; i++) {
        const struct hd_gen_param *p = &f->param[i];
        if (p->kind == HD_GEN_OBJECT && g->result.kind == HD_GEN_OBJECT &&
            g->result.object == p->object)
            return true;
        others += p->kind != HD_GEN_OBJECT;
    }
    for (u32 i = 0; i < g->n; i++)
        others += g->param[i].kind != HD_GEN_OBJECT;
    return !others && f->n == g->n;
}

/* "x_ref" for "x_unref". -1 = there is none. */
static s32 partner(const struct hd_api *a, const struct hd_gen_func *f)
{
    for (u32 k = 0; k < HD_COUNT(partners); k++) {
        const char *at = strstr(f->name, partners[k][1]);
        if (!at || at[strlen(partners[k][1])] ||
            (at != f->name && isalpha((u8)at[-1]) && !isupper((u8)*at)))
            continue;
        char *name = hd_gen_text("%.*s%s", (int)(at - f->name), f->name, partners[k][0]);
        s32 found = -1;
        for (size_t i = 0; i < a->func.n && found < 0; i++) {
            const struct hd_gen_func *g = &a->func.at[i];
            bool is_it = !strcmp(g->name, name) && g->role != HD_GEN_LEFT_OUT &&
                         g->role != HD_GEN_MAKES && g->is_method == f->is_method &&
                         (!g->is_method || g->object == f->object) && gives_back(f, g);
            if (is_it)
                found = (s32)i;
        }
        free(name);
        if (found >= 0)
            return found;
    }
    return -1;
}

/* What gives back a reference that the caller took is an operation, too; for a whole
 * object's last reference it is still what destroys it. */
static void guess_partners(struct hd_api *a)
{
    for (size_t i = 0; i < a->func.n; i++) {
        struct hd_gen_func *f = &a->func.at[i];
        if (f->role == HD_GEN_LEFT_OUT || f->role == HD_GEN_MAKES)
            continue;
        f->after = partner(a, f);
    }
}

/* ---- calls for those who hold the object's lock
 * ---------------------------------------------------------- */

static s32 func_of(const struct hd_api *a, const char *name, size_t n)
{
    for (size_t i = 0; i < a->func.n; i++)
        if (!a->func.at[i].is_method && strlen(a->func.at[i].name) == n &&
            !strncmp(a->func.at[i].name, name, n))
            return (s32)i;
    return -1;
}

/* "..._lock" that takes just this object. */
static s32 locker(const struct hd_api *a, u32 object, const char *ending)
{
    for (size_t i = 0; i < a->func.n; i++) {
        const struct hd_gen_func *f = &a->func.at[i];
        size_t n = strlen(f->name), m = strlen(ending);
        if (f->role == HD_GEN_OPERATION && !f->is_method && f->n == 1 &&
            f->param[0].kind == HD_GEN_OBJECT && f->param[0].object == object && n > m &&
            !strcmp(f->name + n - m, ending))
            return (s32)i;
    }
    return -1;
}

/* "queue_push_unlocked" beside "queue_push". */
static void guess_held(struct hd_api *a)
{
    static const char *const ending[] = {"_unlocked", "_locked", "_nolock", "_no_lock"};
    for (size_t i = 0; i < a->func.n; i++) {
        struct hd_gen_func *f = &a->func.at[i];
        size_t n = strlen(f->name);
        f->lock = f->unlock = -1;
        if (f->role == HD_GEN_LEFT_OUT || f->is_method || !f->n || !is_object(a, &f->param[0]))
            continue;
        for (u32 k = 0; k < HD_COUNT(ending); k++) {
            size_t m = strlen(ending[k]);
            if (n <= m || strcmp(f->name + n - m, ending[k]) || func_of(a, f->name, n - m) < 0)
                continue;
            f->lock = locker(a, f->param[0].object, "_lock");
            f->unlock = locker(a, f->param[0].object, "_unlock");
            if (f->lock >= 0 && f->unlock >= 0)
                continue;
            f->lock = f->unlock = -1;
            f->role = HD_GEN_LEFT_OUT;
            f->why = hd_gen_copy("its caller holds a lock, and no function takes it");
        }
    }
}

/* ---- makers of each type
 * ----------------------------------------------------------------------------- */

static u32 maker_rank(const struct hd_gen_func *f)
{
    return f->n * 4 + (HAS(f->name, "new", "create", "init") || f->is_method ? 0 : 2);
}

static void choose_makers(struct hd_api *a)
{
    for (size_t i = 0; i < a->func.n; i++) {
        struct hd_gen_func *f = &a->func.at[i];
        struct hd_gen_type *t = &a->type.at[f->object];
        if (f->role == HD_GEN_MAKES &&
            (t->make < 0 || maker_rank(f) < maker_rank(&a->func.at[t->make])))
            t->make = (s32)i;
        else if (f->role == HD_GEN_DESTROYS && t->destroy < 0)
            t->destroy = (s32)i;
    }
}

/* Does any function that stays give objects of this type? */
static bool is_obtainable(const struct hd_api *a, u32 type)
{
    for (size_t i = 0; i < a->func.n; i++) {
        const struct hd_gen_func *f = &a->func.at[i];
        if (f->role == HD_GEN_LEFT_OUT)
            continue;
        if ((f->role == HD_GEN_MAKES && f->object == type) ||
            (f->result.kind == HD_GEN_OBJECT && f->result.object == type && !f->result.is_const))
            return true;
        for (u32 k = 0; k < f->n; k++)
            if (f->param[k].kind == HD_GEN_OBJECT_OUT && f->param[k].object == type)
                return true;
    }
    return false;
}

/* Structures that callers fill in, or have filled, beside objects that are made: an error, a
 * date, options. */
static void find_plain(struct hd_api *a)
{
    bool is_any = false;
    for (size_t i = 0; i < a->func.n; i++)
        is_any |= a->func.at[i].role == HD_GEN_MAKES;
    for (u32 i = 0; i < a->type.n && is_any; i++) {
        struct hd_gen_type *t = &a->type.at[i];
        t->is_plain = t->is_complete && !t->is_class && !is_obtainable(a, i);
    }
}

/* What can be called comes first: only so many functions have a number. */
static void put_first(struct hd_api *a)
{
    if (a->func.n <= HD_GEN_OPS)
        return;
    struct hd_gen_func *sorted = calloc(a->func.n, sizeof *sorted);
    HD_ASSERT(sorted);
    size_t n = 0;
    for (u32 is_out = 0; is_out < 2; is_out++)
        for (size_t i = 0; i < a->func.n; i++)
            if ((a->func.at[i].role == HD_GEN_LEFT_OUT) == is_out)
                sorted[n++] = a->func.at[i];
    memcpy(a->func.at, sorted, n * sizeof *sorted);
    free(sorted);
    for (size_t i = HD_GEN_OPS; i < a->func.n; i++) {
        struct hd_gen_func *f = &a->func.at[i];
        if (f->role == HD_GEN_LEFT_OUT)
            continue;
        f->role = HD_GEN_LEFT_OUT;
        f->is_surplus = true;
        f->why = hd_gen_text("%d functions are enough at a time: name a --prefix", HD_GEN_OPS);
    }
}

void hd_gen_guess(struct hd_api *a)
{
    put_first(a);
    for (size_t i = 0; i < a->func.n; i++) {
        struct hd_gen_func *f = &a->func.at[i];
        pair_params(f);
        if (f->role != HD_GEN_LEFT_OUT && !f->is_method && is_maker(a, f))
            f->role = HD_GEN_MAKES;
    }
    find_plain(a);
    for (size_t i = 0; i < a->func.n; i++) {
        struct hd_gen_func *f = &a->func.at[i];
        guess_role(a, f);
        give_values(f);
        if (is_set_up(a, f)) {
            f->is_exclusive = true;
            f->note = "sets the library up: never beside another call";
        }
        if (takes_down(f)) {
            f->is_exclusive = true;
            f->note = "takes the library down: never beside another call";
        }
    }
    guess_partners(a);
    guess_held(a);
    choose_makers(a);
}

/* ---- is it enough?
 * ------------------------------------------------------------------------------------- */

int hd_gen_check(struct hd_api *a, struct hd_error *err)
{
    find_plain(a); /* again: the spec may name constructors */
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < a->func.n; i++) {
            struct hd_gen_func *f = &a->func.at[i];
            s32 missing = -1;
            for (u32 k = 0; k < f->n && f->role != HD_GEN_LEFT_OUT; k++)
                if (is_object(a, &f->param[k]) &&
                    !(f->role == HD_GEN_MAKES && f->makes == HD_GEN_IN_PLACE && !k) &&
                    !is_obtainable(a, f->param[k].object))
                    missing = (s32)f->param[k].object;
            if (f->is_method && !f->is_static && f->role != HD_GEN_MAKES &&
                f->role != HD_GEN_LEFT_OUT && !is_obtainable(a, f->object))
                missing = (s32)f->object;
            if (missing < 0)
                continue;
            f->role = HD_GEN_LEFT_OUT;
            f->why = hd_gen_text("no function makes a %s", a->type.at[missing].name);
            again = true;
        }
    }
    for (size_t i = 0; i < a->type.n; i++) {
        struct hd_gen_type *t = &a->type.at[i];
        if (t->make >= 0 && a->func.at[t->make].role != HD_GEN_MAKES)
            t->make = -1;
    }
    u32 n = 0;
    for (size_t i = 0; i < a->func.n; i++)
        n += a->func.at[i].role == HD_GEN_OPERATION || a->func.at[i].role == HD_GEN_OBSERVES;
    if (n)
        return 0;
    const char *type = a->type.n ? a->type.at[0].name : NULL;
    if (!a->func.n)
        return hd_error_set(err, -ENOENT, "%s declares no function%s%s", a->header,
                            a->prefix[0] ? " that begins with " : "", a->prefix);
    if (type)
        return hd_error_set(
            err, -ENOENT,
            "no operation can be called: no constructor was found that makes a %s "
            "(a function that returns it, fills a pointer to it, or is named ..._init); name one "
            "in a spec: --write-spec FILE, then --spec FILE",
            type);
    return hd_error_set(err, -ENOENT, "no function of %s can be called", a->header);
}
