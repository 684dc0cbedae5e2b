/* source.c: the text of a source line, for reports that need no editor.
 *
 * A file is looked for where the compiler found it, then below `.` under its
 * recorded name, then by its last name alone: programs are often tested in
 * another directory than the one they were built in.
 */
#include "symbol/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE (64u << 20)

static bool read_file(struct hd_symfile *f, const char *path)
{
    struct stat st;
    FILE *in = fopen(path, "re");
    if (!in)
        return false;
    if (fstat(fileno(in), &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE) {
        fclose(in);
        return false;
    }
    f->text = malloc((size_t)st.st_size + 1);
    HD_ASSERT(f->text);
    size_t n = fread(f->text, 1, (size_t)st.st_size, in);
    fclose(in);
    f->text[n] = 0;
    f->mtime = st.st_mtim.tv_sec;
    f->path = strdup(path);
    for (char *p = f->text; p < f->text + n;) {
        *hd_vec_add(&f->lines) = (u32)(p - f->text);
        char *end = memchr(p, '\n', (size_t)(f->text + n - p));
        if (!end)
            break;
        *end = 0;
        p = end + 1;
    }
    return true;
}

static struct hd_symfile *find_file(struct hd_symbols *s, const char *dir, const char *file)
{
    u64 key = 14695981039346656037u;
    for (const char *p = dir ? dir : ""; *p; p++)
        key = (key ^ (u8)*p) * 1099511628211u;
    for (const char *p = file; *p; p++)
        key = (key ^ (u8)*p) * 1099511628211u;
    struct hd_symfile *f = (struct hd_symfile *)hd_map_get_or(&s->files, key, 0);
    if (f)
        return f;
    f = calloc(1, sizeof *f);
    HD_ASSERT(f);
    hd_map_put(&s->files, key, (u64)f);
    char path[4096];
    const char *slash = strrchr(file, '/');
    if (file[0] == '/') {
        if (read_file(f, file))
            return f;
    } else {
        snprintf(path, sizeof path, "%s/%s", dir ? dir : ".", file);
        if (read_file(f, path) || read_file(f, file))
            return f;
    }
    if (slash)
        read_file(f, slash + 1);
    return f;
}

const char *hd_symbols_source(struct hd_symbols *s, const struct hd_srcloc *loc)
{
    if (!loc->file || loc->line <= 0)
        return NULL;
    struct hd_symfile *f = find_file(s, loc->dir, loc->file);
    if ((size_t)loc->line > f->lines.n)
        return NULL;
    for (u32 i = 0; i < s->n_mods && !s->stale; i++)
        if (loc->module == s->mods[i].m.path && s->mods[i].mtime && f->mtime > s->mods[i].mtime)
            s->stale = f->path;
    const char *p = f->text + f->lines.at[loc->line - 1];
    p += strspn(p, " \t");
    size_t n = strcspn(p, "\r");
    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
        n--;
    if (!n)
        return NULL;
    f->text[p - f->text + (ptrdiff_t)n] = 0; /* trailing blanks, once and for all */
    return p;
}

const char *hd_symbols_line(struct hd_symbols *s, const struct hd_srcloc *loc, int line)
{
    if (!loc->file || line <= 0)
        return NULL;
    struct hd_symfile *f = find_file(s, loc->dir, loc->file);
    return (size_t)line <= f->lines.n ? f->text + f->lines.at[line - 1] : NULL;
}
