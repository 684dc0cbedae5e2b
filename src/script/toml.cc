/* toml.cc: see toml.h. The library's tree is copied, so that nothing
 * of C++ is seen outside. Values keep the line they are on. */
#include "script/toml.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static char *copy(std::string_view s)
{
    char *p = (char *)malloc(s.size() + 1);
    if (p) {
        memcpy(p, s.data(), s.size());
        p[s.size()] = '\0';
    }
    return p;
}

static bool fill(hd_toml *to, const toml::node &from);

static bool is_earlier(const hd_toml &a, const hd_toml &b) { return a.line < b.line; }

static bool fill_array(hd_toml *to, const toml::array &from)
{
    for (const toml::node &n : from)
        if (!fill(&to->child[to->n++], n))
            return false;
    return true;
}

static bool fill_table(hd_toml *to, const toml::table &from)
{
    for (auto &&[key, node] : from) {
        hd_toml *c = &to->child[to->n++];
        if (!fill(c, node) || !(c->key = copy(key.str())))
            return false;
    }
    std::stable_sort(to->child, to->child + to->n, is_earlier);
    return true;
}

static bool fill(hd_toml *to, const toml::node &from)
{
    to->line = from.source().begin.line;
    const toml::array *a = from.as_array();
    const toml::table *t = from.as_table();
    if (a || t) {
        to->kind = a ? HD_TOML_ARRAY : HD_TOML_TABLE;
        size_t n = a ? a->size() : t->size();
        to->child = (hd_toml *)calloc(n ? n : 1, sizeof *to->child);
        return to->child && (a ? fill_array(to, *a) : fill_table(to, *t));
    }
    if (auto *s = from.as_string()) {
        to->kind = HD_TOML_STRING;
        to->text = copy(s->get());
        return to->text;
    }
    if (auto *i = from.as_integer()) {
        to->kind = HD_TOML_INTEGER;
        to->integer = i->get();
        to->number = (double)i->get();
    } else if (auto *f = from.as_floating_point()) {
        to->kind = HD_TOML_FLOAT;
        to->number = f->get();
    } else if (auto *b = from.as_boolean()) {
        to->kind = HD_TOML_BOOL;
        to->integer = b->get();
    } else {
        to->kind = HD_TOML_DATE;
    }
    return true;
}

hd_toml *hd_toml_parse(const char *text, size_t n, const char *path, struct hd_error *err)
{
    if (memchr(text, '\0', n)) {
        hd_error_set(err, -EINVAL, "%s: this is not a text: it holds a zero byte", path);
        return NULL;
    }
    toml::parse_result r = toml::parse(std::string_view(text, n));
    if (!r) {
        std::string_view what = r.error().description();
        hd_error_set(err, -EINVAL, "%s:%u: %.*s", path, (unsigned)r.error().source().begin.line,
                     (int)what.size(), what.data());
        return NULL;
    }
    hd_toml *top = (hd_toml *)calloc(1, sizeof *top);
    if (top && fill(top, r.table()))
        return top;
    hd_toml_free(top);
    hd_error_set(err, -EINVAL, "out of memory");
    return NULL;
}

static void release(hd_toml *t)
{
    for (unsigned i = 0; i < t->n; i++)
        release(&t->child[i]);
    free(t->child);
    free(t->key);
    free(t->text);
}

void hd_toml_free(hd_toml *t)
{
    if (t)
        release(t);
    free(t);
}
