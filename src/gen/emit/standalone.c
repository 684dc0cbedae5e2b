/* standalone.c: the program of a finding: the calls of one test, and, for results that no order
 * gives, the results of all orders in a table. It needs nothing of Heddle's; run by itself it
 * does what the scheduler of the system likes. */
#include "gen/emit/emit.h"
#include "gen/gen.h"

#define MAX_FLAT (HD_WIRE_CALLS * (HD_WIRE_VALUES + 1) + 1)

/* ---- results as a row of numbers ------------------------------------------------------------ */

static u32 flatten(const struct hd_api *a, const struct hd_wire_test *t,
                   const struct hd_gen_orders *all, const struct hd_gen_outcome *o, u64 *out)
{
    u64 seen[HD_WIRE_CALLS * HD_WIRE_VALUES];
    u32 n = 0, handles = 0;
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_wire_value *v = &o->r.call[i];
        if (!hd_gen_is_compared(a, t, all, i))
            continue;
        out[n++] = v->n;
        for (u32 k = 0; k < v->n; k++) {
            u64 x = v->v[k];
            if (v->kind[k] == 'p' && x) {
                u32 at = 0;
                while (at < handles && seen[at] != x)
                    at++;
                if (at == handles)
                    seen[handles++] = x;
                x = at + 1;
            }
            out[n++] = x;
        }
    }
    out[n++] = o->r.callbacks;
    return n;
}

static void table(FILE *to, const struct hd_api *a, const struct hd_wire_test *t,
                  const struct hd_gen_orders *all)
{
    u64 row[MAX_FLAT];
    u32 most = 1, n_order = 0;
    for (u32 k = 0; k < all->n; k++)
        if (all->at[k].verdict == HD_V_CLEAN) {
            most = HD_MAX(most, flatten(a, t, all, &all->at[k], row));
            n_order = all->at[k].n_order;
        }
    fprintf(to,
            "/* What each order of the calls gives when they come one after the other: for each "
            "call how many\n"
            " * results, and these; pointers as 1, 2, ... in order of appearance; last, how often "
            "callbacks\n"
            " * were called. */\n"
            "static const struct {\n    unsigned char order[%u];\n    int n;\n    uint64_t "
            "row[%u];\n} sequential[] = {\n",
            n_order, most);
    for (u32 k = 0; k < all->n; k++) {
        const struct hd_gen_outcome *o = &all->at[k];
        if (o->verdict != HD_V_CLEAN)
            continue;
        u32 n = flatten(a, t, all, o, row);
        fprintf(to, "    {{");
        for (u32 i = 0; i < o->n_order; i++)
            fprintf(to, "%s%u", i ? ", " : "", o->order[i]);
        fprintf(to, "}, %u, {", n);
        for (u32 i = 0; i < n; i++)
            fprintf(to, row[i] > 99 ? "%s0x%llxu" : "%s%llu", i ? ", " : "",
                    (unsigned long long)row[i]);
        fprintf(to, "}},\n");
    }
    fprintf(to, "};\n\n");
}

/* ---- calls ---------------------------------------------------------------------------------- */

struct place {
    const struct hd_wire_call *c;
};

static void object_text(const void *self, const struct hd_api *a, const struct hd_gen_func *f,
                        u32 k, u32 type, char *buf, size_t size)
{
    const struct place *p = self;
    u32 which = p->c->obj >> 2 * HD_MIN(k, 3u) & 3;
    bool is_main = !hd_gen_is_threaded(p->c);
    const char *name = a->type.at[type].name;
    if (a->type.at[type].is_plain)
        snprintf(buf, size, "(%s *)own(&%s[%u], sizeof(%s))", name, is_main ? "main_got" : "got",
                 type, name);
    else if (which < 2)
        snprintf(buf, size, "object_%u_%u", type, which);
    else
        snprintf(buf, size, "(%s *)%s[%u]", name,
                 which == 2 && !is_main ? "got" : "main_got", type);
}

static void value_text(const void *self, const struct hd_api *a, const struct hd_gen_func *f, u32 i,
                       u32 k, char *buf, size_t size)
{
    const struct place *p = self;
    const struct hd_gen_param *param = &f->param[i];
    snprintf(buf, size, "%s", param->value.at[p->c->arg[k % HD_WIRE_ARGS] % param->value.n]);
}

/* Types of the objects that a call refers to, in the order of the bits of `obj`. */
static u32 types_of(const struct hd_gen_func *f, u32 *type)
{
    u32 n = 0;
    if (f->is_method && !f->is_static && f->role != HD_GEN_MAKES)
        type[n++] = f->object;
    for (u32 k = 0; k < f->n; k++)
        if (f->param[k].kind == HD_GEN_OBJECT)
            type[n++] = f->param[k].object;
    return n;
}

static bool is_made(const struct hd_api *a, const struct hd_wire_test *t, u32 type, u32 which)
{
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_gen_func *f = &a->func.at[t->call[i].op];
        if (f->role == HD_GEN_MAKES && f->object == type && (t->call[i].obj & 1) == which)
            return true;
    }
    return false;
}

static void one_call(FILE *to, const struct hd_api *a, const struct hd_wire_test *t, u32 i,
                     bool is_plain)
{
    const struct hd_wire_call *c = &t->call[i];
    const struct hd_gen_func *f = &a->func.at[c->op];
    struct place self = {c};
    char slot[32], object[48], made[64];
    u32 type[HD_GEN_PARAMS + 1], objects = types_of(f, type);
    bool is_got = false; /* the object may not be there: it comes from a call, or nothing makes it */
    for (u32 k = 0; k < objects && f->role != HD_GEN_MAKES; k++) {
        u32 which = c->obj >> 2 * HD_MIN(k, 3u) & 3;
        is_got |= which >= 2 || (!a->type.at[type[k]].is_plain && !is_made(a, t, type[k], which));
    }
    snprintf(object, sizeof object, "object_%u_%u", f->object, c->obj & 1);
    snprintf(slot, sizeof slot, "&call[%u]", i);
    struct hd_gen_spell s = {.indent = "        ",
                             .object = object_text,
                             .value = value_text,
                             .self = &self,
                             .slot = slot,
                             .skip = is_got ? "break;" : NULL,
                             .made = hd_gen_made(f, object, hd_gen_is_threaded(c) ? "got" : "main_got", made,
                                                 sizeof made),
                             .func = c->op,
                             .is_locked = a->contract == HD_GEN_LOCKED,
                             .is_timed = !is_plain,
                             .is_plain = is_plain};
    fprintf(to, is_got ? "    do {\n" : "    {\n");
    hd_gen_emit_call(to, a, f, &s);
    fprintf(to, is_got ? "    } while (0);\n" : "    }\n");
}

static void calls_of(FILE *to, const struct hd_api *a, const struct hd_wire_test *t, u32 thread,
                     bool is_plain)
{
    for (u32 i = 0; i < t->n; i++)
        if (t->call[i].thread == thread)
            one_call(to, a, t, i, is_plain);
}

static bool uses_got(const struct hd_api *a, const struct hd_wire_test *t)
{
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_gen_func *f = &a->func.at[t->call[i].op];
        bool is = f->role != HD_GEN_MAKES && f->result.kind == HD_GEN_OBJECT && !f->result.is_const;
        for (u32 k = 0; k < f->n; k++)
            is |= f->param[k].kind == HD_GEN_OBJECT_OUT ||
                  (f->param[k].kind == HD_GEN_OBJECT &&
                   (t->call[i].obj & 0xaa || a->type.at[f->param[k].object].is_plain));
        if (is)
            return true;
    }
    return false;
}

static void threads(FILE *to, const struct hd_api *a, const struct hd_wire_test *t, bool is_plain)
{
    bool has_got = uses_got(a, t);
    if (has_got)
        fprintf(to, "static void *main_got[%zu]; /* what calls gave to main */\n\n", a->type.n);
    for (u32 k = 1; k <= t->threads; k++) {
        fprintf(to, "static void *thread_%u(void *unused)\n{\n    (void)unused;\n", k);
        if (has_got)
            fprintf(to,
                    "    void *got[%zu] = {0}; /* what calls gave to this thread */\n    "
                    "(void)got, (void)main_got;\n",
                    a->type.n);
        calls_of(to, a, t, k, is_plain);
        fprintf(to, "    return NULL;\n}\n\n");
    }
}

static void main_function(FILE *to, const struct hd_api *a, const struct hd_wire_test *t,
                          bool is_plain)
{
    fprintf(to, "int main(void)\n{\n    pthread_t thread[%u];\n", t->threads + 1u);
    calls_of(to, a, t, HD_WIRE_BEFORE, is_plain);
    for (u32 k = 1; k <= t->threads; k++)
        fprintf(to, "    pthread_create(&thread[%u], NULL, thread_%u, NULL);\n", k, k);
    for (u32 k = 1; k <= t->threads; k++)
        fprintf(to, "    pthread_join(thread[%u], NULL);\n", k);
    calls_of(to, a, t, HD_WIRE_AFTER, is_plain);
    for (u32 i = (u32)a->type.n; i-- > 0;)
        for (u32 k = 0; k < 2; k++) {
            const struct hd_gen_type *type = &a->type.at[i];
            bool is_made = false;
            for (u32 c = 0; c < t->n; c++)
                is_made |= t->call[c].thread == HD_WIRE_BEFORE && t->call[c].op == type->make &&
                           (t->call[c].obj & 1) == k;
            if (is_made && type->is_class)
                fprintf(to, "    delete object_%u_%u;\n", i, k);
            else if (is_made && type->destroy >= 0)
                fprintf(to, "    %s(object_%u_%u);\n", a->func.at[type->destroy].name, i, k);
        }
    fprintf(to, "%s    return 0;\n}\n", is_plain ? "" : "    check();\n");
}

/* Those that are made, and those that calls refer to. */
static void objects(FILE *to, const struct hd_api *a, const struct hd_wire_test *t)
{
    bool is_used[HD_GEN_TYPES][2] = {{false}};
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_gen_func *f = &a->func.at[t->call[i].op];
        u32 type[HD_GEN_PARAMS + 1], n = types_of(f, type);
        if (f->role == HD_GEN_MAKES)
            is_used[f->object][t->call[i].obj & 1] = true;
        for (u32 k = 0; k < n; k++) {
            u32 which = t->call[i].obj >> 2 * HD_MIN(k, 3u) & 3;
            if (which < 2 && !a->type.at[type[k]].is_plain)
                is_used[type[k]][which] = true;
        }
    }
    for (u32 i = 0; i < a->type.n; i++)
        for (u32 k = 0; k < 2; k++)
            if (is_used[i][k])
                fprintf(to, "static %s *object_%u_%u;\n", a->type.at[i].name, i, k);
    fprintf(to, "\n");
}

static void texts(FILE *to, const struct hd_api *a, const struct hd_wire_test *t,
                  const struct hd_gen_orders *all, const char *wrong)
{
    char text[256];
    fprintf(to, "#define WRONG \"%s\"\nstatic const char *const what[] = {\n", wrong);
    for (u32 i = 0; i < t->n; i++) {
        hd_gen_call_text(a, t, i, NULL, text, sizeof text);
        const char *where = t->call[i].thread == HD_WIRE_BEFORE  ? "before"
                            : t->call[i].thread == HD_WIRE_AFTER ? "afterwards"
                                                                 : NULL;
        fprintf(to, "    \"");
        if (where)
            fprintf(to, "%s: ", where);
        else
            fprintf(to, "thread %u: ", t->call[i].thread);
        for (const char *c = text; *c; c++)
            fprintf(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        fprintf(to, "\",\n");
    }
    fprintf(to, "};\nstatic const char is_compared[] = {");
    for (u32 i = 0; i < t->n; i++)
        fprintf(to, "%s%d", i ? ", " : "", hd_gen_is_compared(a, t, all, i));
    fprintf(to, "};\n");
}

void hd_gen_standalone(FILE *to, const struct hd_api *a, const struct hd_wire_test *t,
                       const struct hd_gen_orders *all, enum hd_gen_wrong how, const char *wrong,
                       const char *const *note)
{
    bool is_plain = how != HD_GEN_WRONG_RESULT;
    fprintf(to, "/* ");
    for (; *note; note++)
        fprintf(to, "%s%s", *note, note[1] ? "\n * " : "\n */\n");
    hd_gen_emit_head(to, a);
    fprintf(to, "\n#define CALLS %u\n", t->n);
    hd_gen_emit_items(to, a);
    if (is_plain) {
        fprintf(to, "__attribute__((unused)) static void called_back(void) {}\n"
                    "/* Results are wanted, or the compiler may leave out what makes them. */\n"
                    "__attribute__((unused)) static void use(const void *result) { __asm__ "
                    "volatile(\"\" : : \"r\"(result) : \"memory\"); }\n\n");
    } else {
        hd_gen_emit_readable(to, a);
        fprintf(to, "%s%s%s", hd_gen_code_check_notes, hd_gen_code_put,
                a->is_cxx ? hd_gen_code_put_cxx : "");
        fprintf(to,
                "%s__attribute__((weak)) void __heddle_check_failed(const char *text, const char "
                "*file, int line);\n",
                a->is_cxx ? "extern \"C\" " : "");
        texts(to, a, t, all, wrong);
        table(to, a, t, all);
        fprintf(to, "%s", hd_gen_code_check);
    }
    objects(to, a, t);
    bool is_done[HD_GEN_OPS] = {false};
    for (u32 i = 0; i < t->n; i++) {
        if (!is_done[t->call[i].op])
            hd_gen_emit_callbacks(to, a, t->call[i].op);
        is_done[t->call[i].op] = true;
    }
    threads(to, a, t, is_plain);
    main_function(to, a, t, is_plain);
}
