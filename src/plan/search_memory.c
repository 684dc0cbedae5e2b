/* search_memory.c: DIR/search: a search that was not finished (KEY.search, written anew
 * under another name and put in place), and what hapset has learned from good runs of
 * a program, under whatever input (KEY.learned). Both are for one build and one layout
 * of its modules in memory: sites are addresses. Whatever does not fit is passed over.
 */
#include "plan/search_run.h"
#include "process/tmp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "search/search.h"

#define MAGIC 0x314b4448u /* "HDK1" */
#define MOST_BYTES ((size_t)64 << 20) /* of a search */
#define MOST_LEARNED (1u << 22)

struct head {
    u32 magic, config_size;
    u64 where, n_sites;
    struct hd_config cfg;
    u32 spin_limit, warm, restarts, reserved;
    struct hd_search_result before;
};

/* ---- keys ---------------------------------------------------------------------------------- */

static u64 mix(u64 h, const void *at, size_t n)
{
    const u8 *p = at;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return (h ^ n) * 0x9e3779b97f4a7c15ull;
}

static u64 program_key(const struct hd_director_opts *o)
{
    struct stat st;
    u64 h = mix(0, o->target->path, strlen(o->target->path));
    if (o->target->build_id_len)
        return mix(h, o->target->build_id, o->target->build_id_len);
    if (stat(o->target->path, &st))
        return h;
    h = mix(h, &st.st_mtim, sizeof st.st_mtim);
    return mix(h, &st.st_size, sizeof st.st_size);
}

static u64 input_key(const struct hd_director_opts *o)
{
    char part[4096];
    u64 h = program_key(o);
    for (char *const *a = o->argv; *a; a++)
        h = mix(h, *a, strlen(*a) + 1);
    ssize_t n;
    for (off_t at = 0; o->stdin_fd >= 0 && (n = pread(o->stdin_fd, part, sizeof part, at)) > 0;
         at += n)
        h = mix(h, part, (size_t)n);
    h = mix(h, o->search->name, strlen(o->search->name));
    u32 mode = o->cfg->mode;
    h = mix(h, &mode, sizeof mode);
    return mix(h, &o->search_param, sizeof o->search_param);
}

static void path_of(const struct hd_director_opts *o, u64 key, const char *what, char *out,
                    size_t size)
{
    snprintf(out, size, "%s/search/%016llx.%s", o->dir, (unsigned long long)key, what);
}

u64 hd_search_memory_where(struct hd_shm *m)
{
    const struct hd_module *all = hd_shm_modules(m);
    u64 h = 1;
    for (u32 i = 0; i < HD_MIN(m->n_modules, HD_SHM_MODULES); i++) {
        h = mix(h, &all[i].bias, sizeof all[i].bias);
        h = mix(h, all[i].build_id, all[i].build_id_len % (sizeof all[i].build_id + 1));
    }
    return h;
}

/* ---- the search ------------------------------------------------------------------------------ */

static int load(FILE *f, u64 where, struct hd_search *s, struct hd_search_memory *k)
{
    struct head h;
    struct hd_map site = {0};
    u64 pair[2];
    if (fread(&h, sizeof h, 1, f) != 1 || h.magic != MAGIC ||
        h.config_size != sizeof(struct hd_config) || h.where != where)
        return -ENOENT;
    for (u64 i = 0; i < h.n_sites; i++) {
        if (fread(pair, sizeof pair, 1, f) != 1) {
            hd_map_release(&site);
            return -ENOENT;
        }
        hd_map_put(&site, pair[0], pair[1]);
    }
    if (!hd_search_load(s, f)) {
        hd_map_release(&site);
        return -ENOENT;
    }
    hd_map_release(&k->site);
    *k = (struct hd_search_memory){.site = site,
                                   .cfg = h.cfg,
                                   .spin_limit = h.spin_limit,
                                   .warm = h.warm,
                                   .restarts = h.restarts,
                                   .before = h.before};
    return 0;
}

int hd_search_memory_load(const struct hd_director_opts *o, struct hd_shm *m, struct hd_search *s,
                          struct hd_search_memory *k)
{
    char path[600];
    path_of(o, input_key(o), "search", path, sizeof path);
    FILE *f = fopen(path, "re");
    if (!f)
        return -ENOENT;
    int e = load(f, hd_search_memory_where(m), s, k);
    fclose(f);
    return e;
}

/* A new file in a folder of our own beside the searches. */
static FILE *create(const struct hd_director_opts *o, struct hd_tmp *tmp)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/search", o->dir);
    int e = hd_folder_make(o->dir);
    if (!e)
        e = hd_folder_make(path);
    if (!e)
        e = hd_tmp_make(tmp, path, ".tmp-");
    if (e) {
        errno = -e;
        return NULL;
    }
    snprintf(path, sizeof path, "%s/new", tmp->path);
    FILE *f = fopen(path, "wxe");
    if (!f) {
        e = errno;
        hd_tmp_remove(tmp);
        errno = e;
    }
    return f;
}

/* NULL, or what went wrong. */
static const char *put_in_place(FILE *f, struct hd_tmp *tmp, const char *path)
{
    char now[PATH_MAX + 16];
    bool is_bad = ferror(f);
    errno = 0;
    is_bad |= fclose(f) != 0;
    snprintf(now, sizeof now, "%s/new", tmp->path);
    bool is_done = !is_bad && !rename(now, path);
    const char *why = is_done ? NULL : errno ? strerror(errno) : "write error";
    hd_tmp_remove(tmp);
    return why;
}

const char *hd_search_memory_save(const struct hd_director_opts *o, u64 where,
                                  const struct hd_search *s, const struct hd_search_memory *k)
{
    char path[600];
    struct hd_tmp tmp;
    u64 pair[2];
    struct head h = {.magic = MAGIC, .config_size = sizeof(struct hd_config), .where = where,
                     .n_sites = k->site.n, .cfg = k->cfg, .spin_limit = k->spin_limit,
                     .warm = k->warm, .restarts = k->restarts, .before = k->before};
    if (hd_search_bytes(s) > MOST_BYTES)
        return "it is too much";
    FILE *f = create(o, &tmp);
    if (!f)
        return strerror(errno);
    fwrite(&h, sizeof h, 1, f);
    for (size_t i = 0; hd_map_next(&k->site, &i, &pair[0], &pair[1]);)
        fwrite(pair, sizeof pair, 1, f);
    hd_search_save(s, f);
    path_of(o, input_key(o), "search", path, sizeof path);
    return put_in_place(f, &tmp, path);
}

void hd_search_memory_remove(const struct hd_director_opts *o)
{
    char path[600];
    path_of(o, input_key(o), "search", path, sizeof path);
    unlink(path);
}

/* ---- hapset ---------------------------------------------------------------------------------- */

void hd_search_memory_learned(const struct hd_director_opts *o, u64 where, struct hd_search *s)
{
    char path[600];
    u64 head[2], pair[512];
    size_t n;
    if (strcmp(o->search->name, "hapset"))
        return;
    path_of(o, program_key(o), "learned", path, sizeof path);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (fread(head, sizeof head, 1, f) == 1 && head[0] == MAGIC && head[1] == where)
        while ((n = fread(pair, sizeof *pair, HD_COUNT(pair), f)) > 0)
            hd_search_give(s, pair, (u32)n);
    fclose(f);
}

void hd_search_memory_learn(const struct hd_director_opts *o, u64 where, struct hd_search *s)
{
    char path[600];
    struct hd_tmp tmp;
    u64 head[2] = {MAGIC, where};
    u32 n = hd_search_learned(s, NULL, 0);
    if (strcmp(o->search->name, "hapset") || !n || n > MOST_LEARNED)
        return;
    u64 *pair = malloc(n * sizeof *pair);
    FILE *f = pair ? create(o, &tmp) : NULL;
    if (f) {
        hd_search_learned(s, pair, n);
        fwrite(head, sizeof head, 1, f);
        fwrite(pair, sizeof *pair, n, f);
        path_of(o, program_key(o), "learned", path, sizeof path);
        put_in_place(f, &tmp, path);
    }
    free(pair);
}
