/* test_symbol.c: names of addresses of freshly compiled programs: C and C++,
 * gcc and clang (where installed), position-independent or not, in a shared
 * library, with separate or no debug information.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dlfcn.h>

#include "fixture.h"
#include "base/stop.h"
#include "symbol/symbol.h"

static const char c_source[] =
    "struct point { int x, y; };\n"
    "struct shape { char tag; struct point at[4]; union { long l; double d; } u;\n"
    "    struct { short in; short out; }; struct shape *next; };\n"
    "typedef struct shape shape_t;\n"
    "int counter; /* @counter */\n"
    "static long table[3][5];\n"
    "volatile shape_t shapes[2];\n"
    "pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
    "pthread_cond_t cond;\n"
    "__thread int per_thread;\n"
    "static inline __attribute__((always_inline)) void inner(int n)\n"
    "{\n"
    "    counter += n;\n"
    "    probe(\"inner\"); /* @inner */\n"
    "}\n"
    "static inline __attribute__((always_inline)) void middle(int n)\n"
    "{\n"
    "    if (n > 0)\n"
    "        inner(n); /* @middle */\n"
    "}\n"
    "__attribute__((noinline)) void outer(int n)\n"
    "{\n"
    "    static int calls;\n"
    "    calls++;\n"
    "    show(\"calls\", &calls);\n"
    "    middle(n + 1); /* @outer */\n"
    "    counter++;\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    dl_iterate_phdr(show_module, NULL);\n"
    "    outer(argc);\n"
    "    probe(\"one\"); probe(\"two\"); /* @two */\n"
    "    show(\"counter\", &counter);\n"
    "    show(\"table\", &table[2][3]);\n"
    "    show(\"tag\", &shapes[1].tag);\n"
    "    show(\"at\", &shapes[1].at[3].y);\n"
    "    show(\"union\", &shapes[0].u.d);\n"
    "    show(\"anon\", &shapes[0].out);\n"
    "    show(\"next\", &shapes[0].next);\n"
    "    show(\"lock\", &lock);\n"
    "    show(\"cond\", &cond);\n"
    "    show(\"tls\", &per_thread);\n"
    "    show(\"heap\", malloc(8));\n"
    "    return table[argc][argc] != 0;\n"
    "}\n";

static const char cxx_source[] =
    "#include <atomic>\n#include <array>\n#include <mutex>\n#include <utility>\n"
    "namespace bank {\n"
    "int total;\n"
    "namespace { int hidden; }\n"
    "std::atomic<int> hits;\n"
    "std::mutex guard;\n"
    "std::array<int, 4> slots;\n"
    "std::pair<int, long> both;\n"
    "struct base { int id; };\n"
    "template <class T> struct account : base {\n"
    "    T balance; static T limit;\n"
    "    __attribute__((noinline)) void add(T n) {\n"
    "        static int adds;\n"
    "        adds++;\n"
    "        balance += n;\n"
    "        show(\"adds\", &adds);\n"
    "        probe(\"add\"); /* @add */\n"
    "        total++;\n"
    "    }\n"
    "};\n"
    "template <class T> T account<T>::limit;\n"
    "account<long> first;\n"
    "__attribute__((noinline)) void deposit() { probe(\"deposit\"); total++; } /* @deposit */\n"
    "}\n"
    "int main() {\n"
    "    dl_iterate_phdr(show_module, NULL);\n"
    "    bank::first.add(1);\n"
    "    bank::deposit();\n"
    "    show(\"total\", &bank::total);\n"
    "    show(\"hidden\", &bank::hidden);\n"
    "    show(\"hits\", &bank::hits);\n"
    "    show(\"guard\", &bank::guard);\n"
    "    show(\"slot\", &bank::slots[2]);\n"
    "    show(\"second\", &bank::both.second);\n"
    "    show(\"id\", &bank::first.id);\n"
    "    show(\"balance\", &bank::first.balance);\n"
    "    bank::account<long>::limit++;\n"
    "    show(\"limit\", &bank::account<long>::limit);\n"
    "}\n";

static const char lib_source[] =
    "extern void probe(const char *name);\n"
    "int lib_state[4];\n"
    "void lib_call(void)\n"
    "{\n"
    "    lib_state[1]++;\n"
    "    probe(\"lib\"); /* @lib */\n"
    "    lib_state[2]++;\n"
    "}\n";

static struct fixture fx;

static struct hd_symbols *build(const char *file, const char *text, const char *compile)
{
    fixture_write(&fx, file, text);
    assert_int_equal(shell("cd %s && %s", fx.dir, compile), 0);
    assert_true(fixture_run(&fx, "prog"));
    return hd_symbols_open(fx.modules, fx.n_modules);
}

static void is_data(struct hd_symbols *s, const char *fact, const char *want)
{
    char name[256];
    assert_true(hd_symbols_data(s, fixture_addr(&fx, fact), name, sizeof name, NULL));
    assert_string_equal(name, want);
}

static void is_frame(const struct hd_srcloc *l, const char *function, const char *file, int line,
                     bool inlined)
{
    assert_non_null(l->function);
    assert_string_equal(l->function, function);
    assert_non_null(l->file);
    assert_string_equal(l->file, file);
    assert_int_equal(l->line, line);
    assert_int_equal(l->is_inlined, inlined);
}

/* Everything the C fixture can show; how it was compiled must not matter. */
static void check_c(struct hd_symbols *s)
{
    struct hd_srcloc l[8];
    int n = hd_symbols_code(s, fixture_addr(&fx, "inner"), true, l, 8);
    assert_int_equal(n, 3);
    is_frame(&l[0], "inner", "prog.c", fixture_line(&fx, "inner"), true);
    is_frame(&l[1], "middle", "prog.c", fixture_line(&fx, "middle"), true);
    is_frame(&l[2], "outer", "prog.c", fixture_line(&fx, "outer"), false);
    assert_string_equal(l[2].module, fx.modules[0].path);
    assert_int_equal(l[2].offset, fixture_addr(&fx, "inner") - fx.modules[0].bias);
    assert_string_equal(hd_symbols_source(s, &l[0]), "probe(\"inner\"); /* @inner */");
    /* again, from the cache, and cut short */
    assert_int_equal(hd_symbols_code(s, fixture_addr(&fx, "inner"), true, l, 2), 2);
    is_frame(&l[1], "middle", "prog.c", fixture_line(&fx, "middle"), true);

    is_data(s, "counter", "counter");
    is_data(s, "calls", "outer::calls");
    is_data(s, "table", "table[2][3]");
    is_data(s, "tag", "shapes[1].tag");
    is_data(s, "at", "shapes[1].at[3].y");
    is_data(s, "union", "shapes[0].u.l");
    is_data(s, "anon", "shapes[0].out");
    is_data(s, "next", "shapes[0].next");
    is_data(s, "lock", "lock");
    is_data(s, "cond", "cond");
    char name[64];
    assert_false(hd_symbols_data(s, fixture_addr(&fx, "heap"), name, sizeof name, NULL));
    assert_false(hd_symbols_data(s, fixture_addr(&fx, "tls"), name, sizeof name, NULL));
    struct hd_srcloc decl;
    assert_true(hd_symbols_data(s, fixture_addr(&fx, "counter"), name, sizeof name, &decl));
    assert_string_equal(decl.file, "prog.c");
    assert_int_equal(decl.line, fixture_line(&fx, "counter"));
    /* a byte inside, and a name that does not fit */
    assert_true(hd_symbols_data(s, fixture_addr(&fx, "at") + 3, name, 12, NULL));
    assert_string_equal(name, "shapes[1].a");
    assert_false(hd_symbols_is_stripped(s, NULL));
}

static void test_c_pie(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source,
                                 "gcc -g -O1 -fPIE -pie -include probe.h prog.c -o prog");
    assert_int_not_equal(fx.modules[0].bias, 0);
    check_c(s);
    hd_symbols_close(s);
}

static void test_c_fixed_address(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source,
                                 "gcc -g -O1 -no-pie -include probe.h prog.c -o prog");
    assert_int_equal(fx.modules[0].bias, 0);
    check_c(s);
    hd_symbols_close(s);
}

static void test_c_dwarf4(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source,
                                 "gcc -gdwarf-4 -O1 -include probe.h prog.c -o prog");
    check_c(s);
    hd_symbols_close(s);
}

static void test_c_clang(void **state)
{
    if (system("command -v clang >/dev/null 2>&1"))
        skip();
    struct hd_symbols *s = build("prog.c", c_source,
                                 "clang -g -O1 -include probe.h prog.c -o prog");
    check_c(s);
    hd_symbols_close(s);
}

static void test_separate_debug_file(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source,
        "gcc -g -O1 -include probe.h prog.c -o prog && objcopy --only-keep-debug prog prog.debug && "
        "strip prog && objcopy --add-gnu-debuglink=prog.debug prog");
    check_c(s);
    hd_symbols_close(s);
}

static void test_stripped(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source,
                                 "gcc -g -O1 -include probe.h prog.c -o prog && strip prog");
    struct hd_srcloc l[4];
    char name[64], want[64];
    const char *path;
    u64 inner = fixture_addr(&fx, "inner");
    assert_false(hd_symbols_is_stripped(s, NULL)); /* nothing asked for yet */
    assert_int_equal(hd_symbols_code(s, inner, true, l, 4), 1);
    assert_null(l[0].function);
    assert_null(l[0].file);
    assert_null(hd_symbols_source(s, &l[0]));
    assert_string_equal(l[0].module, fx.modules[0].path);
    assert_int_equal(l[0].offset, inner - fx.modules[0].bias);
    assert_false(hd_symbols_data(s, fixture_addr(&fx, "counter"), name, sizeof name, NULL));
    assert_true(hd_symbols_is_stripped(s, &path));
    assert_string_equal(path, fx.modules[0].path);
    hd_symbols_site(s, inner, name, sizeof name);
    snprintf(want, sizeof want, "prog+0x%llx", (unsigned long long)l[0].offset);
    assert_string_equal(name, want);
    hd_symbols_close(s);
    /* What asks servers for debug information was not even loaded: none is named. */
    assert_null(dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD));
}

static void test_symbol_table_only(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source, "gcc -O1 -include probe.h prog.c -o prog");
    struct hd_srcloc l;
    char name[64];
    hd_symbols_code(s, fixture_addr(&fx, "inner"), true, &l, 1);
    assert_string_equal(l.function, "outer");
    assert_int_equal(l.line, 0);
    is_data(s, "counter", "counter");
    assert_true(hd_symbols_data(s, fixture_addr(&fx, "counter") + 2, name, sizeof name, NULL));
    assert_string_equal(name, "counter+2");
    is_data(s, "table", "table+104");
    assert_true(hd_symbols_is_stripped(s, NULL));
    hd_symbols_close(s);
}

static void test_cxx_with(const char *compiler, const char *T)
{
    char cmd[128];
    snprintf(cmd, sizeof cmd, "command -v %s >/dev/null 2>&1", compiler);
    if (system(cmd))
        skip();
    snprintf(cmd, sizeof cmd, "%s -g -O1 -include probe.h prog.cc -o prog", compiler);
    struct hd_symbols *s = build("prog.cc", cxx_source, cmd);
    struct hd_srcloc l;
    char add[64], adds[64], limit[64];
    snprintf(limit, sizeof limit, "bank::account<%s>::limit", T);
    snprintf(add, sizeof add, "bank::account<%s>::add", T);
    snprintf(adds, sizeof adds, "bank::account<%s>::add::adds", T);
    hd_symbols_code(s, fixture_addr(&fx, "deposit"), true, &l, 1);
    is_frame(&l, "bank::deposit", "prog.cc", fixture_line(&fx, "deposit"), false);
    hd_symbols_code(s, fixture_addr(&fx, "add"), true, &l, 1);
    is_frame(&l, add, "prog.cc", fixture_line(&fx, "add"), false);
    is_data(s, "total", "bank::total");
    is_data(s, "hidden", "bank::(anonymous)::hidden");
    is_data(s, "hits", "bank::hits");
    is_data(s, "guard", "bank::guard");
    is_data(s, "slot", "bank::slots[2]");
    is_data(s, "second", "bank::both.second");
    is_data(s, "id", "bank::first.id");
    is_data(s, "balance", "bank::first.balance");
    is_data(s, "limit", limit);
    is_data(s, "adds", adds);
    hd_symbols_close(s);
}

static void test_cxx(void **state) { test_cxx_with("g++", "long int"); }
static void test_cxx_clang(void **state) { test_cxx_with("clang++", "long"); }

static void test_cxx_symbol_table_only(void **state)
{
    if (system("command -v g++ >/dev/null 2>&1"))
        skip();
    struct hd_symbols *s = build("prog.cc", cxx_source, "g++ -O1 -include probe.h prog.cc -o prog");
    struct hd_srcloc l;
    hd_symbols_code(s, fixture_addr(&fx, "deposit"), true, &l, 1);
    assert_string_equal(l.function, "bank::deposit");
    is_data(s, "total", "bank::total");
    is_data(s, "hidden", "bank::(anonymous)::hidden");
    hd_symbols_close(s);
}

static void test_shared_library(void **state)
{
    fixture_write(&fx, "lib.c", lib_source);
    assert_int_equal(shell("cd %s && gcc -g -O1 -fPIC -shared lib.c -o libfix.so", fx.dir), 0);
    int line = fixture_line(&fx, "lib");
    struct hd_symbols *s = build("prog.c",
        "extern int lib_state[];\nvoid lib_call(void);\n"
        "int main(void) { dl_iterate_phdr(show_module, NULL); lib_call();\n"
        "    show(\"state\", &lib_state[2]); return 0; }\n",
        "gcc -g -O1 -fPIC -pie -rdynamic -include probe.h prog.c -o prog -L. -lfix");
    struct hd_srcloc l;
    hd_symbols_code(s, fixture_addr(&fx, "lib"), true, &l, 1);
    is_frame(&l, "lib_call", "lib.c", line, false);
    assert_non_null(strstr(l.module, "libfix.so"));
    is_data(s, "state", "lib_state[2]");
    hd_symbols_close(s);
}

static void test_site(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source, "gcc -g -O1 -include probe.h prog.c -o prog");
    char one[128], two[128], want[128];
    hd_symbols_site(s, fixture_addr(&fx, "one"), one, sizeof one);
    hd_symbols_site(s, fixture_addr(&fx, "two"), two, sizeof two);
    snprintf(want, sizeof want, "main@prog.c:%d#1", fixture_line(&fx, "two"));
    assert_string_equal(one, want);
    snprintf(want, sizeof want, "main@prog.c:%d#2", fixture_line(&fx, "two"));
    assert_string_equal(two, want);
    hd_symbols_site(s, fixture_addr(&fx, "inner"), one, sizeof one);
    snprintf(want, sizeof want, "inner@prog.c:%d#1", fixture_line(&fx, "inner"));
    assert_string_equal(one, want);
    hd_symbols_close(s);
}

static void test_rebuilt_file_is_not_believed(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source,
                                 "gcc -g -O1 -Wl,--build-id -include probe.h prog.c -o prog");
    fx.modules[0].build_id_len = 20;
    memset(fx.modules[0].build_id, 7, 20);
    hd_symbols_close(s);
    s = hd_symbols_open(fx.modules, fx.n_modules);
    struct hd_srcloc l;
    hd_symbols_code(s, fixture_addr(&fx, "inner"), true, &l, 1);
    assert_null(l.function);
    assert_true(hd_symbols_is_stripped(s, NULL));
    hd_symbols_close(s);
}

static bool always(bool is_late) { return true; }

/* A campaign that used all its time still names what it found; not for ever. */
static void test_late(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source, "gcc -g -O1 -include probe.h prog.c -o prog");
    char name[64];
    u32 known = 0, asked = 0;
    hd_stop_hook = always;
    for (; asked < 500; asked++)
        known += hd_symbols_data(s, fixture_addr(&fx, "table"), name, sizeof name, NULL);
    assert_int_equal(known, asked);
    while (known == asked && asked < 100000000) {
        known += hd_symbols_data(s, fixture_addr(&fx, "table"), name, sizeof name, NULL);
        asked++;
    }
    hd_stop_hook = NULL;
    assert_int_equal(known + 1, asked);
    hd_symbols_close(s);
}

static void test_nowhere(void **state)
{
    struct hd_module gone = {.start = 0x1000, .end = 0x2000, .path = "/nonexistent/prog"};
    struct hd_symbols *s = hd_symbols_open(&gone, 1);
    struct hd_srcloc l;
    char name[64];
    assert_int_equal(hd_symbols_code(s, 0x1800, false, &l, 1), 1);
    assert_null(l.function);
    assert_string_equal(l.module, "/nonexistent/prog");
    assert_int_equal(hd_symbols_code(s, 0, true, &l, 1), 1);
    assert_null(l.module);
    assert_int_equal(hd_symbols_code(s, 0x9999, true, &l, 1), 1);
    assert_null(l.module);
    assert_int_equal(hd_symbols_code(s, 0x9999, true, &l, 0), 0);
    assert_false(hd_symbols_data(s, 0x1800, name, sizeof name, NULL));
    hd_symbols_site(s, 0x9999, name, sizeof name);
    assert_string_equal(name, "0x9999");
    hd_symbols_close(s);
    s = hd_symbols_open(NULL, 0);
    assert_int_equal(hd_symbols_code(s, 0x1800, false, &l, 1), 1);
    hd_symbols_close(s);
}

static void test_source_elsewhere(void **state)
{
    struct hd_symbols *s = build("prog.c", c_source, "gcc -g -O1 -include probe.h prog.c -o prog");
    struct hd_srcloc l;
    const char *path;
    hd_symbols_code(s, fixture_addr(&fx, "two"), true, &l, 1);
    assert_false(hd_symbols_is_stale(s, NULL));
    shell("touch -d '+1 hour' %s", fx.source);
    assert_non_null(hd_symbols_source(s, &l));
    assert_true(hd_symbols_is_stale(s, &path));
    assert_string_equal(path, fx.source);
    hd_symbols_close(s);

    shell("mkdir %s/else && mv %s %s/else", fx.dir, fx.source, fx.dir);
    s = hd_symbols_open(fx.modules, fx.n_modules);
    hd_symbols_code(s, fixture_addr(&fx, "two"), true, &l, 1);
    assert_null(hd_symbols_source(s, &l));
    hd_symbols_close(s);
    char *cwd = getcwd(NULL, 0), there[128];
    snprintf(there, sizeof there, "%s/else", fx.dir);
    assert_int_equal(chdir(there), 0);
    s = hd_symbols_open(fx.modules, fx.n_modules);
    hd_symbols_code(s, fixture_addr(&fx, "two"), true, &l, 1);
    assert_string_equal(hd_symbols_source(s, &l), "probe(\"one\"); probe(\"two\"); /* @two */");
    l.line = 100000;
    assert_null(hd_symbols_source(s, &l));
    assert_int_equal(chdir(cwd), 0);
    free(cwd);
    hd_symbols_close(s);
}

static void test_system_modules(void **state)
{
    assert_true(hd_symbols_is_system("/lib/x86_64-linux-gnu/libc.so.6"));
    assert_true(hd_symbols_is_system("/opt/heddle/libtsan.so.2"));
    assert_true(hd_symbols_is_system(NULL));
    assert_false(hd_symbols_is_system("/home/me/prog"));
    assert_false(hd_symbols_is_system("/home/me/libcache.so"));
}

static int setup(void **state)
{
    unsetenv("DEBUGINFOD_URLS");
    fixture_init(&fx);
    return 0;
}
static int teardown(void **state) { fixture_release(&fx); return 0; }

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_c_pie), T(test_c_fixed_address), T(test_c_dwarf4), T(test_c_clang),
        T(test_separate_debug_file), T(test_stripped), T(test_symbol_table_only), T(test_cxx),
        T(test_cxx_clang), T(test_cxx_symbol_table_only), T(test_shared_library), T(test_site),
        T(test_rebuilt_file_is_not_believed), T(test_nowhere), T(test_source_elsewhere),
        T(test_system_modules), T(test_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
