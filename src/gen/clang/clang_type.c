/* clang_type.c: what a type of the language means for a call: see enum hd_gen_kind. */
#include "gen/clang/clang.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

void hd_clang_left_out(struct hd_gen_func *f, const char *format, ...)
{
    va_list ap;
    char text[256];
    if (f->why)
        return;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    f->why = hd_gen_copy(text);
    f->role = HD_GEN_LEFT_OUT;
}

/* "store::Slot::Mode": the name with the namespaces and classes around it; "" = it has none. */
static char *whole_name(const struct hd_reading *r, CXCursor at)
{
    char *name = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
    for (;;) {
        at = r->c.getCursorSemanticParent(at);
        int kind = r->c.getCursorKind(at);
        if (!name[0] || (kind != CX_NAMESPACE && kind != CX_STRUCT && kind != CX_CLASS))
            return name;
        char *outer = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
        char *both = outer[0] ? hd_gen_text("%s::%s", outer, name) : hd_gen_copy(name);
        free(outer);
        free(name);
        name = both;
    }
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == ':'; }

/* Since version 16 libclang spells a type as the header does, without the namespaces and classes
 * that the place has around it; what is written elsewhere needs them. */
static char *spelling(const struct hd_reading *r, CXType t)
{
    char *text = hd_clang_text(&r->c, r->c.getTypeSpelling(t));
    while (t.kind == CXT_POINTER || t.kind == CXT_LVALUE_REF || t.kind == CXT_RVALUE_REF)
        t = r->c.getPointeeType(t);
    if (!r->how->is_cxx || strpbrk(text, "<("))
        return text;
    char *name = whole_name(r, r->c.getTypeDeclaration(t));
    const char *last = strrchr(name, ':');
    char *from = last ? strstr(text, last + 1) : NULL, *to = from ? from + strlen(last + 1) : NULL;
    while (from && from > text && is_of_name(from[-1]))
        from--;
    if (from && !is_of_name(*to)) {
        char *whole = hd_gen_text("%.*s%s%s", (int)(from - text), text, name, to);
        free(text);
        text = whole;
    }
    free(name);
    return text;
}

static bool is_integer(int kind) { return kind >= CXT_BOOL && kind <= CXT_INT128; }
static bool is_char(int kind) { return kind == CXT_CHAR_S || kind == CXT_CHAR_U; }

/* A parameter of the template stands for its argument. */
static CXType replaced(const struct hd_reading *r, CXType t)
{
    char *name = spelling(r, t);
    const char *bare = !strncmp(name, "const ", 6) ? name + 6 : name;
    for (u32 i = 0; i < r->n_args; i++)
        if (!strcmp(bare, r->arg_name[i]) &&
            (int)i < r->c.Type_getNumTemplateArguments(r->instance)) {
            CXType arg = r->c.Type_getTemplateArgumentAsType(r->instance, i);
            if (arg.kind != CXT_INVALID)
                t = arg;
        }
    free(name);
    return t;
}

/* The text of a type with the template's parameters replaced: "std::optional<T>". */
static char *replaced_text(const struct hd_reading *r, char *text)
{
    for (u32 i = 0; i < r->n_args; i++) {
        size_t n = strlen(r->arg_name[i]);
        for (char *at = strstr(text, r->arg_name[i]); at; at = strstr(at + 1, r->arg_name[i])) {
            bool is_word = (at == text || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:", at[-1])) &&
                           !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:", at[n] ? at[n] : ' ');
            if (!is_word || (int)i >= r->c.Type_getNumTemplateArguments(r->instance))
                continue;
            char *arg = spelling(r, r->c.Type_getTemplateArgumentAsType(r->instance, i));
            char *grown = hd_gen_text("%.*s%s%s", (int)(at - text), text, arg, at + n);
            at = grown + (at - text);
            free(arg);
            free(text);
            text = grown;
        }
    }
    return text;
}

static int visit_value(CXCursor at, CXCursor parent, void *self)
{
    void **both = self;
    const struct hd_reading *r = both[0];
    struct hd_gen_param *p = both[1];
    if (r->c.getCursorKind(at) != CX_ENUMERATOR || p->value.n == 6)
        return CX_CONTINUE;
    char *name = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
    if (r->how->is_cxx) { /* "Color::Red" is right for both sorts of enumerations */
        *hd_vec_add(&p->value) = hd_gen_text("%s::%s", p->type, name);
        free(name);
    } else {
        *hd_vec_add(&p->value) = name;
    }
    return CX_CONTINUE;
}

static int visit_field(CXCursor at, CXCursor parent, void *self)
{
    void **both = self;
    const struct hd_reading *r = both[0];
    struct hd_gen_type *t = both[1];
    int access = r->how->is_cxx ? r->c.getCXXAccessSpecifier(at) : CX_PUBLIC;
    if (r->c.getCursorKind(at) != CX_FIELD || access != CX_PUBLIC)
        return CX_CONTINUE;
    int kind = r->c.getCanonicalType(r->c.getCursorType(at)).kind;
    bool is_float = kind >= CXT_FLOAT && kind <= CXT_LONG_DOUBLE;
    char *name = hd_clang_text(&r->c, r->c.getCursorSpelling(at));
    if (name[0] && (is_float || is_integer(kind) || kind == CXT_ENUM))
        *hd_vec_add(&t->field) =
            (struct hd_gen_field){hd_gen_copy(name), is_float ? HD_GEN_FLOAT : HD_GEN_INT};
    free(name);
    return CX_CONTINUE;
}

/* Object type of this record, made if need be. -1: there is no room. */
static s32 object_type(struct hd_reading *r, CXType t, const char *name)
{
    s32 at = hd_api_type(r->api, name);
    if (at >= 0 || r->api->type.n == HD_GEN_TYPES)
        return at;
    const char *bare = !strncmp(name, "struct ", 7) ? name + 7 : name;
    CXCursor def = r->c.getCursorDefinition(r->c.getTypeDeclaration(r->c.getCanonicalType(t)));
    *hd_vec_add(&r->api->type) =
        (struct hd_gen_type){.name = hd_gen_copy(name), .bare = hd_gen_copy(bare),
                             .is_complete = !r->c.Cursor_isNull(def), .make = -1, .destroy = -1};
    void *both[] = {r, &r->api->type.at[r->api->type.n - 1]};
    if (!r->c.Cursor_isNull(def))
        r->c.visitChildren(def, visit_field, both);
    return (s32)r->api->type.n - 1;
}

/* const char * const and the like: the name without qualifiers in front. */
static char *record_name(const struct hd_reading *r, CXType t)
{
    char *name = spelling(r, t);
    if (!strncmp(name, "const ", 6))
        memmove(name, name + 6, strlen(name + 6) + 1);
    return replaced_text(r, name);
}

static void callback(struct hd_reading *r, CXType fn, struct hd_gen_func *f, struct hd_gen_param *p)
{
    CXType result = r->c.getCanonicalType(r->c.getResultType(fn));
    p->kind = HD_GEN_CALLBACK;
    p->cb_result = spelling(r, r->c.getResultType(fn));
    char *list = hd_gen_copy("");
    for (int i = 0; i < r->c.getNumArgTypes(fn); i++) {
        char *one = spelling(r, r->c.getArgType(fn, (unsigned)i));
        char *more = hd_gen_text("%s%s%s", list, i ? ", " : "", one);
        free(one);
        free(list);
        list = more;
    }
    p->cb_params = list;
    if (result.kind == CXT_RECORD)
        hd_clang_left_out(f, "its callback returns a structure");
}

/* What is behind a pointer; the parameter's kind. */
static void pointer(struct hd_reading *r, CXType t, struct hd_gen_func *f, struct hd_gen_param *p)
{
    CXType to = r->c.getPointeeType(t), real = r->c.getCanonicalType(to);
    p->is_const = r->c.isConstQualifiedType(real);
    if (real.kind == CXT_FUNCTION || real.kind == CXT_FUNCTION_NOPROTO) {
        callback(r, real, f, p);
    } else if (is_char(real.kind)) {
        p->kind = p->is_const ? HD_GEN_STRING : HD_GEN_BUFFER;
    } else if (real.kind == CXT_VOID || (real.kind == CXT_UCHAR)) {
        p->kind = HD_GEN_POINTER;
    } else if (is_integer(real.kind) || real.kind == CXT_ENUM || real.kind == CXT_FLOAT ||
               real.kind == CXT_DOUBLE) {
        p->kind = p->is_const ? HD_GEN_DATA : HD_GEN_OUT;
    } else if (real.kind == CXT_RECORD) {
        char *name = record_name(r, to);
        bool is_file = !strcmp(name, "FILE") || !strcmp(name, "struct _IO_FILE");
        s32 at = is_file ? 0 : object_type(r, to, name);
        free(name);
        p->kind = is_file ? HD_GEN_FILE : HD_GEN_OBJECT;
        p->object = (u32)at;
        if (at < 0)
            hd_clang_left_out(f, "there are more than %d object types", HD_GEN_TYPES);
    } else if (real.kind == CXT_POINTER) {
        CXType inner = r->c.getCanonicalType(r->c.getPointeeType(real));
        char *name = record_name(r, r->c.getPointeeType(to));
        s32 at = inner.kind == CXT_RECORD ? object_type(r, r->c.getPointeeType(to), name) : -1;
        free(name);
        p->kind = at >= 0 ? HD_GEN_OBJECT_OUT : HD_GEN_OUT_POINTER;
        p->object = (u32)HD_MAX(at, 0);
        if (is_char(inner.kind) && p->is_const)
            hd_clang_left_out(f, "its parameter '%s' is a list of strings", p->name);
        else if (inner.kind == CXT_RECORD && at < 0)
            hd_clang_left_out(f, "what its parameter '%s' points to is not known", p->name);
    } else {
        hd_clang_left_out(f, "the type of its parameter '%s' (%s) is not understood", p->name, p->type);
    }
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Types of the C++ library that a value can be made of. */
static bool library_type(struct hd_gen_param *p)
{
    const char *t = begins(p->type, "const ") ? p->type + 6 : p->type;
    if (begins(t, "std::string") || begins(t, "std::basic_string") || begins(t, "std::__cxx11::basic_string")) {
        p->kind = HD_GEN_STRING;
        return true;
    }
    if (begins(t, "std::function<")) {
        p->kind = HD_GEN_CALLBACK;
        p->cb_result = hd_gen_text("%.*s", (int)strcspn(t + 14, "("), t + 14);
        p->cb_params = hd_gen_copy("");
        return true;
    }
    return false;
}

void hd_clang_param(struct hd_reading *r, CXType t, struct hd_gen_func *f, struct hd_gen_param *p)
{
    CXType real = r->c.getCanonicalType(t);
    p->is_ref = real.kind == CXT_LVALUE_REF || real.kind == CXT_RVALUE_REF;
    bool is_moved = real.kind == CXT_RVALUE_REF;
    if (p->is_ref)
        t = r->c.getPointeeType(real.kind == t.kind ? t : real);
    p->is_const = r->c.isConstQualifiedType(t);
    t = replaced(r, t);
    real = r->c.getCanonicalType(t);
    p->type = replaced_text(r, spelling(r, t));
    if (is_integer(real.kind) || real.kind == CXT_ENUM)
        p->kind = p->is_ref && !p->is_const && !is_moved ? HD_GEN_OUT : HD_GEN_INT;
    else if (real.kind >= CXT_FLOAT && real.kind <= CXT_LONG_DOUBLE)
        p->kind = p->is_ref && !p->is_const && !is_moved ? HD_GEN_OUT : HD_GEN_FLOAT;
    else if (real.kind == CXT_POINTER)
        pointer(r, real.kind == t.kind ? t : real, f, p);
    else if (library_type(p))
        p->kind = p->kind == HD_GEN_STRING && p->is_ref && !p->is_const && !is_moved ? HD_GEN_OUT : p->kind;
    else if (real.kind == CXT_INCOMPLETE_ARRAY || real.kind == CXT_ARRAY)
        hd_clang_left_out(f, "its parameter '%s' is an array", p->name);
    else if (real.kind == CXT_RECORD && p->is_ref) {
        char *name = record_name(r, t);
        s32 at = hd_api_type(r->api, name);
        free(name);
        p->kind = HD_GEN_OBJECT;
        p->object = (u32)HD_MAX(at, 0);
        if (at < 0)
            hd_clang_left_out(f, "nothing is known of the type of its parameter '%s' (%s)", p->name, p->type);
    } else {
        hd_clang_left_out(f, "the type of its parameter '%s' (%s) is not understood", p->name, p->type);
    }
    if (real.kind == CXT_ENUM) {
        void *both[] = {r, p};
        r->c.visitChildren(r->c.getTypeDeclaration(real), visit_value, both);
    }
}

void hd_clang_result(struct hd_reading *r, CXType t, struct hd_gen_func *f)
{
    struct hd_gen_param *p = &f->result;
    CXType real = r->c.getCanonicalType(t);
    p->name = hd_gen_copy("");
    p->is_ref = real.kind == CXT_LVALUE_REF;
    if (p->is_ref)
        t = r->c.getPointeeType(real);
    t = replaced(r, t);
    real = r->c.getCanonicalType(t);
    p->type = replaced_text(r, spelling(r, t));
    p->kind = HD_GEN_OTHER;
    if (real.kind == CXT_VOID)
        p->kind = HD_GEN_NONE;
    else if (is_integer(real.kind) || real.kind == CXT_ENUM)
        p->kind = HD_GEN_INT;
    else if (real.kind >= CXT_FLOAT && real.kind <= CXT_LONG_DOUBLE)
        p->kind = HD_GEN_FLOAT;
    else if (real.kind == CXT_POINTER) {
        CXType to = r->c.getPointeeType(real.kind == t.kind ? t : real), inner = r->c.getCanonicalType(to);
        char *name = inner.kind == CXT_RECORD ? record_name(r, to) : NULL;
        s32 at = name ? object_type(r, to, name) : -1;
        p->is_const = r->c.isConstQualifiedType(inner);
        p->kind = at >= 0                ? HD_GEN_OBJECT
                  : !is_char(inner.kind) ? HD_GEN_POINTER
                  : p->is_const          ? HD_GEN_STRING
                                         : HD_GEN_TEXT;
        p->object = (u32)HD_MAX(at, 0);
        free(name);
    } else if (real.kind == CXT_RECORD && !r->how->is_cxx) {
        char *name = record_name(r, t);
        s32 at = object_type(r, t, name);
        p->kind = at >= 0 && r->api->type.at[at].field.n ? HD_GEN_RECORD : HD_GEN_OTHER;
        p->object = (u32)HD_MAX(at, 0);
        free(name);
    } else if (library_type(p) && p->kind == HD_GEN_CALLBACK)
        p->kind = HD_GEN_OTHER;
}
