/* driver.c: the program that runs tests: a function per operation, a switch over them, and a
 * main that reads which calls to make from memory shared with the host. The fork server of
 * the runtime makes a process of it for each run, so a test costs no compiler and no start.
 *
 * What it notes (when calls begin and end, results) is not instrumented: the schedule and the
 * coverage are those of the library.
 */
#include "gen/driver.h"

#include "gen/emit.h"

#define TEXT_OF_(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT_OF_(__VA_ARGS__)

void hd_gen_emit_items(FILE *to, const struct hd_api *a)
{
    fprintf(
        to,
        "__attribute__((unused)) static char item[4]; /* what `void *` parameters point to */\n");
    if (a->contract == HD_GEN_LOCKED)
        fprintf(to, "static pthread_mutex_t outside = PTHREAD_MUTEX_INITIALIZER;\n");
}

void hd_gen_emit_as(FILE *to, const char *text, const char *from, const char *as)
{
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from))
        fprintf(to, "%.*s%s", (int)(at - text), text, as);
    fprintf(to, "%s", text);
}

void hd_gen_emit_head(FILE *to, const struct hd_api *a)
{
    static const char *const c[] = {"fcntl.h", "pthread.h", "semaphore.h", "stdint.h",
                                    "stdio.h", "stdlib.h",  "string.h",    "sys/mman.h"};
    if (!a->is_cxx)
        fprintf(to, "#define _GNU_SOURCE\n");
    fprintf(to, "#include \"%s\"\n\n", a->header);
    for (u32 i = 0; i < HD_COUNT(c); i++)
        fprintf(to, "#include <%s>\n", c[i]);
    if (a->is_cxx)
        fprintf(
            to,
            "#include <memory>\n#include <optional>\n#include <string>\n#include <type_traits>\n"
            "#include <utility>\n#include <vector>\n");
}

static const char notes[] =
    "#define QUIET __attribute__((no_sanitize(\"thread\"), noinline, unused)) static\n"
    "static const struct hd_wire_test *test;\n"
    "static struct hd_wire_result *result;\n"
    "static uint32_t stamp;\n"
    "static char marks[2 * 32];\n"
    "QUIET void begin(struct hd_wire_value *r)\n"
    "{\n"
    "    __tsan_release(&marks[2 * (r - result->call)]);\n"
    "    r->begin = ++stamp;\n"
    "}\n"
    "QUIET void end(struct hd_wire_value *r)\n"
    "{\n"
    "    r->end = ++stamp;\n"
    "    __tsan_release(&marks[2 * (r - result->call) + 1]);\n"
    "}\n"
    "QUIET void put_kind(struct hd_wire_value *r, char kind, uint64_t v)\n"
    "{\n"
    "    if (r->n == 6)\n"
    "        return;\n"
    "    r->kind[r->n] = (uint8_t)kind;\n"
    "    r->v[r->n++] = v;\n"
    "}\n"
    "QUIET void put_int(struct hd_wire_value *r, uint64_t v) { put_kind(r, 'i', v); }\n"
    "QUIET void put_float(struct hd_wire_value *r, double d)\n"
    "{\n"
    "    uint64_t v;\n"
    "    __builtin_memcpy(&v, &d, sizeof v);\n"
    "    put_kind(r, 'f', v);\n"
    "}\n"
    "QUIET void put_pointer(struct hd_wire_value *r, const void *p)\n"
    "{\n"
    "    uintptr_t at = (uintptr_t)p - (uintptr_t)item;\n"
    "    put_kind(r, at < sizeof item ? 'm' : 'p', at < sizeof item ? at : "
    "(uint64_t)(uintptr_t)p);\n"
    "}\n"
    "QUIET void put_bytes(struct hd_wire_value *r, const char *p, size_t n)\n"
    "{\n"
    "    uint64_t hash = 14695981039346656037ull;\n"
    "    for (size_t i = 0; i < n; i++)\n"
    "        hash = (hash ^ (unsigned char)p[i]) * 1099511628211ull;\n"
    "    for (size_t i = 0; i < sizeof r->text - 1 && i < n && p[i]; i++)\n"
    "        r->text[i] = p[i];\n"
    "    put_kind(r, 's', hash);\n"
    "}\n"
    "QUIET void called_back(void) { result->callbacks++; }\n"
    "QUIET void put_thrown(struct hd_wire_value *r) { put_kind(r, 'e', 0); }\n";

/* Results of C++ by their types; what has no rule is not compared. */
const char hd_gen_cxx_put[] =
    "template <class T> static void put(struct hd_wire_value *r, const T &x);\n"
    "template <class T> struct putter { static void go(struct hd_wire_value *, const T &) {} };\n"
    "template <> struct putter<std::string> {\n"
    "    static void go(struct hd_wire_value *r, const std::string &x) { put_bytes(r, x.data(), "
    "x.size()); }\n"
    "};\n"
    "template <class T> struct putter<std::optional<T>> {\n"
    "    static void go(struct hd_wire_value *r, const std::optional<T> &x)\n"
    "    {\n"
    "        put_int(r, x.has_value());\n"
    "        if (x)\n"
    "            put(r, *x);\n"
    "    }\n"
    "};\n"
    "template <class A, class B> struct putter<std::pair<A, B>> {\n"
    "    static void go(struct hd_wire_value *r, const std::pair<A, B> &x) { put(r, x.first); "
    "put(r, x.second); }\n"
    "};\n"
    "template <class T> struct putter<std::vector<T>> {\n"
    "    static void go(struct hd_wire_value *r, const std::vector<T> &x)\n"
    "    {\n"
    "        put_int(r, x.size());\n"
    "        for (const auto &one : x)\n"
    "            put(r, one);\n"
    "    }\n"
    "};\n"
    "template <class T> struct putter<std::shared_ptr<T>> {\n"
    "    static void go(struct hd_wire_value *r, const std::shared_ptr<T> &x) { put_pointer(r, "
    "x.get()); }\n"
    "};\n"
    "template <class T> struct putter<std::unique_ptr<T>> {\n"
    "    static void go(struct hd_wire_value *r, const std::unique_ptr<T> &x) { put_pointer(r, "
    "x.get()); }\n"
    "};\n"
    "template <class T> static void put(struct hd_wire_value *r, const T &x)\n"
    "{\n"
    "    if constexpr (std::is_floating_point_v<T>)\n"
    "        put_float(r, (double)x);\n"
    "    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)\n"
    "        put_int(r, (uint64_t)x);\n"
    "    else if constexpr (std::is_pointer_v<T>)\n"
    "        put_pointer(r, (const void *)x);\n"
    "    else\n"
    "        putter<T>::go(r, x);\n"
    "}\n";

static const char frame[] =
    "static void make_call(uint32_t i, void **got)\n"
    "{\n"
    "    run(&test->call[i], &result->call[i], got);\n"
    "}\n"
    "static sem_t turn[8];\n"
    "static uint32_t position;\n"
    "QUIET int next_turn(void) { return ++position < test->n_order ? "
    "test->call[test->order[position]].thread : 0; }\n"
    "static void *thread_main(void *arg)\n"
    "{\n"
    "    uint32_t me = (uint32_t)(uintptr_t)arg;\n"
    "    void *got[TYPES] = {0};\n"
    "    for (uint32_t i = 0; i < test->n; i++) {\n"
    "        if (test->call[i].thread != me)\n"
    "            continue;\n"
    "        if (test->is_sequential)\n"
    "            sem_wait(&turn[me]);\n"
    "        make_call(i, got);\n"
    "        int next = test->is_sequential ? next_turn() : 0;\n"
    "        if (next)\n"
    "            sem_post(&turn[next]);\n"
    "    }\n"
    "    return NULL;\n"
    "}\n"
    "static const struct hd_wire_tests *tests;\n"
    "static struct hd_wire_results *results;\n"
    "__attribute__((constructor, no_sanitize(\"thread\"))) static void map_area(int argc, char "
    "**argv)\n"
    "{\n"
    "    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;\n"
    "    size_t at = (sizeof *tests + 4095) & ~(size_t)4095;\n"
    "    if (fd < 0)\n"
    "        return;\n"
    "    tests = (const struct hd_wire_tests *)mmap(NULL, sizeof *tests, PROT_READ, MAP_SHARED, "
    "fd, 0);\n"
    "    results = (struct hd_wire_results *)mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE, "
    "MAP_SHARED, fd, (off_t)at);\n"
    "    results->mark = (uint64_t)(uintptr_t)marks;\n"
    "}\n"
    "QUIET int take(void)\n"
    "{\n"
    "    uint32_t k = results->next++;\n"
    "    if (k >= 64)\n"
    "        return 0;\n"
    "    test = &tests->test[k];\n"
    "    result = &results->result[k];\n"
    "    return 1;\n"
    "}\n"
    "QUIET void over(void) { result->is_over = 1; }\n"
    "int main(void)\n"
    "{\n"
    "    pthread_t thread[8];\n"
    "    if (!results || !take())\n"
    "        return 3;\n"
    "    for (uint32_t i = 0; i < test->n; i++)\n"
    "        if (test->call[i].thread == 0)\n"
    "            make_call(i, main_got);\n"
    "    if (test->is_sequential)\n"
    "        for (uint32_t k = 1; k <= test->threads; k++)\n"
    "            sem_init(&turn[k], 0, test->call[test->order[0]].thread == k);\n"
    "    for (uint32_t k = 1; k <= test->threads; k++)\n"
    "        if (pthread_create(&thread[k], NULL, thread_main, (void *)(uintptr_t)k))\n"
    "            return 4;\n"
    "    for (uint32_t k = 1; k <= test->threads; k++)\n"
    "        pthread_join(thread[k], NULL);\n"
    "    for (uint32_t i = 0; i < test->n; i++)\n"
    "        if (test->call[i].thread == 255)\n"
    "            make_call(i, main_got);\n"
    "    destroy_all();\n"
    "    over();\n"
    "    return 0;\n"
    "}\n";

static void object_text(const void *self, const struct hd_api *a, const struct hd_gen_func *f,
                        u32 k, u32 type, char *buf, size_t size)
{
    snprintf(buf, size, "(%s *)object(%u, c->obj >> %u & 3, got)", a->type.at[type].name, type,
             2 * HD_MIN(k, 3u));
}

static void value_text(const void *self, const struct hd_api *a, const struct hd_gen_func *f, u32 i,
                       u32 k, char *buf, size_t size)
{
    u32 number = (u32)(f - a->func.at);
    snprintf(buf, size, "a%u_%u[c->arg[%u] %% %zu]", number, i, k % HD_WIRE_ARGS,
             f->param[i].value.n);
}

static void value_tables(FILE *to, const struct hd_gen_func *f, u32 number)
{
    for (u32 i = 0; i < f->n; i++) {
        const struct hd_gen_param *p = &f->param[i];
        if (!p->value.n || p->kind == HD_GEN_SIZE || p->kind == HD_GEN_CONTEXT)
            continue;
        const char *type = p->kind == HD_GEN_STRING || p->kind == HD_GEN_DATA ? "char *const"
                           : p->kind == HD_GEN_POINTER                        ? "void *const"
                           : !strncmp(p->type, "const ", 6)                   ? p->type + 6
                                                                              : p->type;
        fprintf(to, "static const %s a%u_%u[] = {", type, number, i);
        for (size_t k = 0; k < p->value.n; k++)
            fprintf(to, "%s%s", k ? ", " : "", p->value.at[k]);
        fprintf(to, "};\n");
    }
}

static void operation(FILE *to, const struct hd_api *a, u32 i)
{
    const struct hd_gen_func *f = &a->func.at[i];
    char made[64] = "";
    value_tables(to, f, i);
    hd_gen_emit_callbacks(to, a, i);
    fprintf(
        to,
        "static void op_%u(const struct hd_wire_call *c, struct hd_wire_value *r, void **got)\n{\n"
        "    (void)c, (void)r, (void)got;\n",
        i);
    s32 out = -1;
    for (u32 k = 0; k < f->n; k++)
        if (f->param[k].kind == HD_GEN_OBJECT_OUT)
            out = (s32)f->param[k].object;
    if (f->role == HD_GEN_MAKES)
        snprintf(made, sizeof made, "objects[%u][c->obj & 1]", f->object);
    else if (f->result.kind == HD_GEN_OBJECT && !f->result.is_const)
        snprintf(made, sizeof made, "got[%u]", f->result.object);
    else if (out >= 0)
        snprintf(made, sizeof made, "got[%d]", out);
    struct hd_gen_spell s = {.indent = "    ",
                             .object = object_text,
                             .value = value_text,
                             .slot = "r",
                             .skip = "goto skip;",
                             .made = made[0] ? made : NULL,
                             .func = i,
                             .is_locked = a->contract == HD_GEN_LOCKED,
                             .is_timed = true};
    bool is_skippable = f->is_method && !f->is_static && f->role != HD_GEN_MAKES;
    for (u32 k = 0; k < f->n; k++)
        is_skippable |=
            f->param[k].kind == HD_GEN_OBJECT &&
            !(f->role == HD_GEN_MAKES && f->makes == HD_GEN_IN_PLACE && !k && !f->is_method);
    s.skip = is_skippable ? "{ r->is_skipped = 1; return; }" : NULL;
    hd_gen_emit_call(to, a, f, &s);
    fprintf(to, "}\n\n");
}

static void destroy_all(FILE *to, const struct hd_api *a)
{
    fprintf(to, "static void destroy_all(void)\n{\n");
    for (size_t i = a->type.n; i-- > 0;) {
        const struct hd_gen_type *t = &a->type.at[i];
        if (t->make < 0)
            continue;
        for (u32 k = 0; k < 2; k++) {
            if (t->is_class)
                fprintf(to, "    delete (%s *)objects[%zu][%u];\n", t->name, i, k);
            else if (t->destroy >= 0)
                fprintf(to, "    if (objects[%zu][%u])\n        %s((%s *)objects[%zu][%u]);\n", i,
                        k, a->func.at[t->destroy].name, t->name, i, k);
        }
    }
    fprintf(to, "}\n");
}

void hd_gen_driver(FILE *to, const struct hd_api *a)
{
    fprintf(to, "/* Made by `heddle gen` from %s: runs the tests that it is given. */\n",
            a->header);
    hd_gen_emit_head(to, a);
    fprintf(to, "#define TYPES %zu\n%s\n", HD_MAX(a->type.n, (size_t)1), TEXT_OF(HD_WIRE_STRUCTS));
    fprintf(to, a->is_cxx ? "extern \"C\" void __tsan_release(void *);\n"
                          : "void __tsan_release(void *);\n");
    hd_gen_emit_items(to, a);
    fprintf(to, "%s%s", notes, a->is_cxx ? hd_gen_cxx_put : "");
    fprintf(to, "static void *objects[TYPES][2], *main_got[TYPES];\n"
                "__attribute__((unused)) static void *object(uint32_t type, uint32_t which, void "
                "**got)\n{\n"
                "    return which < 2 ? objects[type][which] : which == 2 ? got[type] : "
                "main_got[type];\n}\n\n");
    for (u32 i = 0; i < a->func.n && i < HD_GEN_OPS; i++)
        if (a->func.at[i].role != HD_GEN_LEFT_OUT)
            operation(to, a, i);
    fprintf(
        to,
        "static void run(const struct hd_wire_call *c, struct hd_wire_value *r, void **got)\n{\n"
        "    switch (c->op) {\n");
    for (u32 i = 0; i < a->func.n && i < HD_GEN_OPS; i++)
        if (a->func.at[i].role != HD_GEN_LEFT_OUT)
            fprintf(to, "    case %u: op_%u(c, r, got); break;\n", i, i);
    fprintf(to, "    default: break;\n    }\n}\n\n");
    destroy_all(to, a);
    fprintf(to, "%s", frame);
}
