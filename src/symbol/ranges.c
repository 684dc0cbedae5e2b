/* ranges.c: see ranges.h. */
#include "symbol/ranges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/image.h"
#include "symbol/state.h"

/* Is it the function that was asked for? */
static bool is_called(const char *symbol, const char *name, size_t n)
{
    if (strlen(symbol) == n && !memcmp(symbol, name, n))
        return true;
    char plain[512];
    return hd_symname_cxx(symbol, plain, sizeof plain) && strlen(plain) == n &&
           !memcmp(plain, name, n);
}

static int put_ranges(const struct hd_image *m, const char *name, size_t n, char *to, size_t size,
                      size_t *used)
{
    const struct hd_image_symbol *s;
    u32 count = hd_image_symbols(m, &s), found = 0;
    for (u32 i = 0; i < count; i++) {
        if (!s[i].is_function || !is_called(s[i].name, name, n))
            continue;
        int k = snprintf(to + *used, size - *used, "%s%llx-%llx", *used ? "," : "",
                         (unsigned long long)s[i].start,
                         (unsigned long long)(s[i].start + s[i].size));
        if (k < 0 || (size_t)k >= size - *used)
            return -ENOSPC;
        *used += (size_t)k;
        found++;
    }
    return found ? 0 : -ENOENT;
}

int hd_symbol_ranges(const char *path, const char *names, char *to, size_t size,
                     const char **bad)
{
    size_t used = 0;
    to[0] = '\0';
    if (!strcmp(names, "all")) {
        snprintf(to, size, "all");
        return 0;
    }
    struct hd_image *m = hd_image_open(path);
    if (!m)
        return -ENOEXEC;
    int e = 0;
    for (const char *at = names; !e && *at;) {
        size_t n = strcspn(at, ",");
        e = put_ranges(m, at, n, to, size, &used);
        *bad = at;
        at += n + (at[n] == ',');
    }
    hd_image_close(m);
    return e;
}
