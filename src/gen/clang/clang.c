/* clang.c: reads the declarations of a header with libclang: functions, and in C++ classes
 * with their public methods. What types mean for a call is in clang_type.c; what functions
 * are for in guess.c. See api.h.
 *
 * Templates: an alias (`using IntQueue = Queue<int>;`) or an explicit instantiation names the
 * arguments. libclang shows members of the template, not of the instance, so parameters of
 * the template are replaced here.
 */
#include "gen/clang/clang.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

static const char *const names[] = {"libclang.so.1", "libclang-19.so.1", "libclang-18.so.1",
                                    "libclang-17.so.1", "libclang-16.so.1", "libclang-15.so.1",
                                    "libclang-14.so.1", "libclang-14.so.13", "libclang-13.so.1",
                                    "libclang.so"};

static int load(struct hd_clang *c, struct hd_error *err)
{
    for (u32 i = 0; i < HD_COUNT(names) && !c->lib; i++)
        c->lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!c->lib)
        return hd_error_set(err, -ENOENT, "reading a header needs libclang, which is not installed: "
                            "apt-get install libclang1 (or describe the API with --spec)");
#define CX(result, name, params)                                                                   \
    c->name = (result(*) params)dlsym(c->lib, "clang_" #name);                                     \
    if (!c->name)                                                                                  \
        return hd_error_set(err, -ENOSYS, "this libclang is too old: it has no clang_" #name);
    HD_CLANG_FUNCTIONS(CX)
#undef CX
    return 0;
}

char *hd_clang_text(const struct hd_clang *c, CXString s)
{
    const char *text = c->getCString(s);
    char *copy = hd_gen_copy(text ? text : "");
    c->disposeString(s);
    return copy;
}

/* ---- where -------------------------------------------------------------------------- */

static bool is_same_file(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    return realpath(a, x) && realpath(b, y) && !strcmp(x, y);
}

/* Declared in the header itself; `line` is where. */
static bool is_in_header(const struct hd_reading *r, CXCursor at, u32 *line)
{
    void *file = NULL;
    r->c.getExpansionLocation(r->c.getCursorLocation(at), &file, line, NULL, NULL);
    if (!file)
        return false;
    char *name = hd_clang_text(&r->c, r->c.getFileName(file));
    bool is = is_same_file(name, r->how->header);
    free(name);
    return is;
}

static bool is_wanted(const struct hd_reading *r, const char *name, bool is_in)
{
    const char *prefix = r->how->prefix;
    if (prefix && *prefix)
        return !strncmp(name, prefix, strlen(prefix)); /* wherever it is declared */
    return is_in;
}

static bool is_known(const struct hd_reading *r, const struct hd_gen_func *f)
{
    for (size_t i = 0; i < r->api->func.n; i++) {
        const struct hd_gen_func *g = &r->api->func.at[i];
        if (!strcmp(g->name, f->name) && !f->is_method && !g->is_method)
            return true;
    }
    return false;
}

/* ---- functions ------------------------------------------------------------------------ */

static void read_params(struct hd_reading *r, CXCursor at, struct hd_gen_func *f)
{
    int n = r->c.Cursor_getNumArguments(at);
    if (n > HD_GEN_PARAMS) {
        hd_clang_left_out(f, "more than %d parameters", HD_GEN_PARAMS);
        n = HD_GEN_PARAMS;
    }
    f->n = (u32)HD_MAX(n, 0);
    for (u32 i = 0; i < f->n; i++) {
        CXCursor p = r->c.Cursor_getArgument(at, i);
        f->param[i].name = hd_clang_text(&r->c, r->c.getCursorSpelling(p));
        hd_clang_param(r, r->c.getCursorType(p), f, &f->param[i]);
    }
}

static void add_func(struct hd_reading *r, CXCursor at, const char *name, u32 line)
{
    struct hd_gen_func f = {.name = hd_gen_copy(name), .role = HD_GEN_OPERATION, .line = line, .after = -1};
    if (is_known(r, &f) || r->c.Cursor_getStorageClass(at) == CX_STATIC_STORAGE) {
        free(f.name); /* a second declaration, or a helper that the header keeps for itself */
        return;
    }
    if (r->c.Cursor_isVariadic(at))
        hd_clang_left_out(&f, "takes a variable number of arguments");
    read_params(r, at, &f);
    hd_clang_result(r, r->c.getCursorResultType(at), &f);
    *hd_vec_add(&r->api->func) = f;
}

/* ---- classes --------------------------------------------------------------------------- */

static void add_method(struct hd_reading *r, CXCursor at, int kind)
{
    struct hd_gen_func f = {.role = HD_GEN_OPERATION, .is_method = true, .object = r->object,
                            .after = -1};
    f.name = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
    is_in_header(r, at, &f.line);
    bool is_ctor = kind == CX_CONSTRUCTOR;
    f.is_static = !is_ctor && r->c.CXXMethod_isStatic(at);
    f.is_const = !is_ctor && r->c.CXXMethod_isConst(at);
    if (is_ctor) {
        f.role = HD_GEN_MAKES;
        free(f.name);
        f.name = hd_gen_copy(r->api->type.at[r->object].name);
        r->has_ctor = true;
    }
    if (r->c.getCursorAvailability(at) == CX_NOT_AVAILABLE)
        hd_clang_left_out(&f, "is deleted");
    else if (is_ctor && (r->c.CXXConstructor_isCopyConstructor(at) ||
                         r->c.CXXConstructor_isMoveConstructor(at)))
        hd_clang_left_out(&f, "copies or moves");
    else if (!is_ctor && !strncmp(f.name, "operator", 8) && !(f.name[8] == '_' || (f.name[8] >= 'a' && f.name[8] <= 'z')))
        hd_clang_left_out(&f, "is an operator");
    read_params(r, at, &f);
    if (!is_ctor)
        hd_clang_result(r, r->c.getCursorResultType(at), &f);
    else
        f.result = (struct hd_gen_param){.kind = HD_GEN_NONE, .name = hd_gen_copy(""),
                                         .type = hd_gen_copy("void")};
    *hd_vec_add(&r->api->func) = f;
}

/* What cannot be called whoever makes its objects: a class or a method, by its name. */
static struct hd_gen_func *add_left_out(struct hd_reading *r, CXCursor at, const char *format, const char *of)
{
    struct hd_gen_func f = {.after = -1, .name = hd_clang_text(&r->c, r->c.getCursorSpelling(at))};
    is_in_header(r, at, &f.line);
    hd_clang_left_out(&f, format, of);
    f.result = (struct hd_gen_param){.kind = HD_GEN_NONE, .name = hd_gen_copy(""), .type = hd_gen_copy("void")};
    struct hd_gen_func *to = hd_vec_add(&r->api->func);
    *to = f;
    return to;
}

static int visit_member(CXCursor at, CXCursor parent, void *self)
{
    struct hd_reading *r = self;
    int kind = r->c.getCursorKind(at);
    if (kind == CX_TEMPLATE_PARAM && r->n_args < HD_CLANG_ARGS) {
        r->arg_name[r->n_args++] = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
        return CX_CONTINUE;
    }
    bool is_public = r->c.getCXXAccessSpecifier(at) == CX_PUBLIC;
    if (kind == CX_METHOD || kind == CX_CONSTRUCTOR || kind == CX_DESTRUCTOR) {
        r->is_class |= is_public;
        if (kind == CX_CONSTRUCTOR)
            r->has_ctor = true;
        if (is_public && kind != CX_DESTRUCTOR && r->object != HD_CLANG_SURVEY)
            add_method(r, at, kind);
        if (kind == CX_METHOD && r->c.CXXMethod_isPureVirtual(at))
            r->is_abstract = true;
    }
    if (kind == CX_FUNCTION_TEMPLATE && is_public && r->object != HD_CLANG_SURVEY) {
        struct hd_gen_func *f = add_left_out(r, at, "is a template%s", "");
        f->is_method = true;
        f->object = r->object;
    }
    return CX_CONTINUE;
}

static void clear_args(struct hd_reading *r)
{
    for (u32 i = 0; i < r->n_args; i++)
        free(r->arg_name[i]);
    r->n_args = 0;
}

/* `name` as the driver spells it; `decl` has the members; `instance` has the arguments. */
static void add_class(struct hd_reading *r, const char *name, CXCursor decl, CXType instance)
{
    struct hd_api *a = r->api;
    if (hd_api_type(a, name) >= 0 || a->type.n == HD_GEN_TYPES)
        return;
    clear_args(r);
    r->instance = instance;
    r->is_class = r->has_ctor = r->is_abstract = false;
    r->object = HD_CLANG_SURVEY;
    r->c.visitChildren(decl, visit_member, r);
    if (r->is_abstract)
        add_left_out(r, decl, "has methods without a body: there are no objects of it%s", "")->is_class = true;
    if (!r->is_class || r->is_abstract)
        return; /* plain data, or an interface */
    clear_args(r);
    r->object = (u32)a->type.n;
    *hd_vec_add(&a->type) = (struct hd_gen_type){.name = hd_gen_copy(name), .bare = hd_gen_copy(name),
                                                 .is_complete = true, .is_class = true, .make = -1,
                                                 .destroy = -1};
    r->has_ctor = false;
    r->c.visitChildren(decl, visit_member, r);
    if (!r->has_ctor) { /* the compiler's own */
        struct hd_gen_func f = {.name = hd_gen_copy(name), .role = HD_GEN_MAKES, .is_method = true,
                                .object = r->object, .after = -1};
        f.result = (struct hd_gen_param){.kind = HD_GEN_NONE, .name = hd_gen_copy(""),
                                         .type = hd_gen_copy("void")};
        *hd_vec_add(&a->func) = f;
    }
    clear_args(r);
    r->instance = (CXType){0};
}

static void read_class(struct hd_reading *r, CXCursor at, int kind)
{
    CXType type = kind == CX_ALIAS || kind == CX_TYPEDEF ? r->c.getTypedefDeclUnderlyingType(at)
                                                         : r->c.getCursorType(at);
    CXCursor decl = at;
    char *spelled = hd_clang_text(&r->c, r->c.getTypeSpelling(r->c.getCursorType(at)));
    char *bare = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
    if (kind == CX_ALIAS || kind == CX_TYPEDEF) {
        decl = r->c.getTypeDeclaration(r->c.getCanonicalType(type));
        CXCursor from = r->c.getSpecializedCursorTemplate(decl);
        if (r->c.Cursor_isNull(from))
            goto out; /* another name for a plain type */
        decl = from;
        CXCursor def = r->c.getCursorDefinition(from);
        if (!r->c.Cursor_isNull(def))
            decl = def;
    } else if (!r->c.isCursorDefinition(at) ||
               !r->c.Cursor_isNull(r->c.getSpecializedCursorTemplate(at))) {
        CXCursor from = r->c.getSpecializedCursorTemplate(at);
        if (r->c.Cursor_isNull(from))
            goto out; /* only announced */
        decl = from; /* an explicit instantiation: template class Queue<int>; */
    }
    if (decl.kind == CX_CLASS_TEMPLATE)
        *hd_vec_add(&r->used) = hd_clang_text(&r->c, r->c.getCursorSpelling(decl));
    if (!r->how->only_class || !strcmp(bare, r->how->only_class) ||
        !strcmp(spelled, r->how->only_class))
        add_class(r, spelled, decl, r->c.getCanonicalType(type));
out:
    free(spelled);
    free(bare);
}

/* A template that no alias and no explicit instantiation of the header names. */
static void add_template(struct hd_reading *r, CXCursor at, const char *name)
{
    bool is_used = !r->c.isCursorDefinition(at) || r->how->only_class;
    for (size_t i = 0; i < r->used.n; i++)
        is_used |= !strcmp(r->used.at[i], name);
    if (!is_used)
        add_left_out(r, at, "is a template: name an instance, as 'using A = %s<int>;'", name)->is_class = true;
}

/* ---- the header ---------------------------------------------------------------------------- */

static int visit(CXCursor at, CXCursor parent, void *self)
{
    struct hd_reading *r = self;
    int kind = r->c.getCursorKind(at);
    u32 line = 0;
    bool is_in = is_in_header(r, at, &line);
    if (kind == CX_NAMESPACE || kind == CX_LINKAGE || kind == 1)
        return is_in || kind != CX_NAMESPACE ? CX_RECURSE : CX_CONTINUE;
    char *name = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
    if (r->is_types) {
        bool is_class = kind == CX_CLASS || kind == CX_ALIAS || kind == CX_TYPEDEF || kind == CX_STRUCT;
        if (r->how->is_cxx && is_class && is_in)
            read_class(r, at, kind);
    } else if (kind == CX_FUNCTION && is_wanted(r, name, is_in) &&
               !(r->how->is_cxx && r->how->only_class) && strncmp(name, "operator", 8)) {
        add_func(r, at, name, line);
    } else if (kind == CX_CLASS_TEMPLATE && is_in) {
        add_template(r, at, name);
    }
    free(name);
    return CX_CONTINUE;
}

/* What the compiler said, as it says it. */
static int complaints(struct hd_reading *r, void *unit, struct hd_error *err)
{
    char message[2000];
    size_t at = 0, size = sizeof message;
    u32 errors = 0;
    bool is_unknown = false;
    for (unsigned i = 0; i < r->c.getNumDiagnostics(unit); i++) {
        void *d = r->c.getDiagnostic(unit, i);
        if (r->c.getDiagnosticSeverity(d) >= CX_SEVERITY_ERROR && ++errors <= 3) {
            char *text = hd_clang_text(&r->c, r->c.formatDiagnostic(d, CX_SHOW_PLACE));
            int n = snprintf(message + at, size - at, "%s%s", at ? "\n" : "the header does not compile:\n",
                             text);
            at = HD_MIN(at + (size_t)HD_MAX(n, 0), size - 1);
            is_unknown |= strstr(text, "unknown type name") != NULL;
            free(text);
        }
        r->c.disposeDiagnostic(d);
    }
    return errors ? hd_error_set(err, -EINVAL, "%s%s", message,
                                 is_unknown ? "\nIf it needs other headers: name a header that includes them first, and a --prefix"
                                            : "")
                  : 0;
}

/* Headers of the compiler itself (stddef.h): libclang may come without its own. */
static void add_builtin(char *out, size_t size)
{
    FILE *p = popen("gcc -print-file-name=include 2>/dev/null", "r");
    out[0] = '\0';
    if (!p)
        return;
    if (!fgets(out, (int)size, p))
        out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    pclose(p);
}

static int parse(struct hd_reading *r, void **index, void **unit, struct hd_error *err)
{
    const char *args[128];
    char builtin[PATH_MAX], text[PATH_MAX + 32], path[PATH_MAX];
    int n = 0;
    args[n++] = "-x";
    args[n++] = r->how->is_cxx ? "c++" : "c";
    if (r->how->is_cxx)
        args[n++] = "-std=c++17";
    else
        args[n++] = "-D_GNU_SOURCE";
    for (char *const *f = r->how->flags; f && *f && n < 120; f++)
        if (!strncmp(*f, "-I", 2) || !strncmp(*f, "-D", 2) || !strncmp(*f, "-std=", 5) ||
            !strncmp(*f, "-isystem", 8) || !strncmp(*f, "-U", 2))
            args[n++] = *f;
    add_builtin(builtin, sizeof builtin);
    if (builtin[0]) {
        args[n++] = "-idirafter";
        args[n++] = builtin;
    }
    if (!realpath(r->how->header, path))
        return hd_error_set(err, -EIO, "cannot read the header %s: %s", r->how->header, strerror(errno));
    snprintf(text, sizeof text, "#include \"%s\"\n", path);
    struct CXUnsavedFile file = {r->how->is_cxx ? "heddle_gen.cc" : "heddle_gen.c", text, strlen(text)};
    *index = r->c.createIndex(0, 0);
    int e = r->c.parseTranslationUnit2(*index, file.name, args, n, &file, 1, 64 /* skip bodies */, unit);
    if (e || !*unit)
        return hd_error_set(err, -EIO, "libclang could not read %s (error %d)", r->how->header, e);
    return complaints(r, *unit, err);
}

int hd_gen_read(struct hd_api *a, const struct hd_gen_read *how, struct hd_error *err)
{
    struct hd_reading r = {.api = a, .how = how};
    void *index = NULL, *unit = NULL;
    int e = load(&r.c, err);
    if (!e)
        e = parse(&r, &index, &unit, err);
    if (!e) {
        char *path = realpath(how->header, NULL); /* the driver is compiled elsewhere */
        free(a->header);
        a->header = path ? path : hd_gen_copy(how->header);
        free(a->prefix);
        a->prefix = hd_gen_copy(how->prefix ? how->prefix : "");
        a->is_cxx = how->is_cxx;
        CXCursor top = r.c.getTranslationUnitCursor(unit);
        r.is_types = true;
        r.c.visitChildren(top, visit, &r);
        r.is_types = false;
        r.c.visitChildren(top, visit, &r);
    }
    for (size_t i = 0; i < r.used.n; i++)
        free(r.used.at[i]);
    hd_vec_release(&r.used);
    if (unit)
        r.c.disposeTranslationUnit(unit);
    if (index)
        r.c.disposeIndex(index);
    return e; /* the library stays loaded: it does not like to be unloaded */
}
