/* search_memory.c: in the store: a search that was not finished, and what hapset has learned
 * from good runs of a program, under whatever input. Both are for one build and one layout
 * of its modules in memory: sites are addresses. The state of a search is a text:
 *
 *   heddle-search 1
 *   config SEED DATA_SEED EPOCH       of the first campaign
 *   rounds SPIN_LIMIT WARM RESTARTS
 *   result ...                        with a smaller spin_limit (search/save.c)
 *   sites N, and N lines: site ADDRESS FLAGS
 *   search ...                        the search itself (search/save.c)
 *
 * A campaign that observes coverage has the store open; else it is opened for a moment.
 */
#include "plan/search_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/search.h"
#include "store/store.h"
#include "text/words.h"

#define VERSION 1
#define MOST_BYTES ((size_t)64 << 20) /* of a search */
#define MOST_LEARNED (1u << 20)
#define SITE_FLAGS (HD_SITE_EVENT | HD_SITE_POINT)

/* Where the modules of a target lie. */
u64 hd_search_memory_layout(struct hd_snapshot *m)
{
    u32 n;
    const struct hd_module *all = hd_snapshot_modules(m, &n);
    u64 h = 1;
    for (u32 i = 0; i < n; i++) {
        u32 len = all[i].build_id_len % (sizeof all[i].build_id + 1);
        h = (h ^ all[i].bias) * 0x9e3779b97f4a7c15ull;
        for (u32 k = 0; k < len; k++)
            h = (h ^ all[i].build_id[k]) * 0x100000001b3ull;
    }
    return h;
}

/* ---- the store --------------------------------------------------------------------------- */

struct open_store {
    struct hd_store *st;
    bool is_own;
    struct hd_places places;
    struct hd_store_search key;
};

static void close_store(struct open_store *s)
{
    if (s->is_own)
        hd_store_close(s->st, NULL);
    hd_places_release(&s->places);
}

static int open_store(struct open_store *s, const struct hd_director_opts *o,
                      enum hd_store_mode mode, double wait, struct hd_error *err)
{
    *s = (struct open_store){
        .st = o->cover ? o->cover->store : NULL,
        .key = {.method = o->search->name, .param = o->search_param, .mode = o->cfg->mode}};
    if (s->st) {
        s->key.build = o->cover->build;
        s->key.input = o->cover->input;
        return 0;
    }
    struct hd_cover_key k = {0};
    s->is_own = true;
    int e = hd_store_open(&s->st, o->dir, mode, wait, err);
    if (e)
        return e;
    e = hd_cover_identify(&k, s->st, &s->places, o->target, o->argv, o->stdin_fd);
    if (e == -ENOENT && k.build > 0) { /* an input that is new: what is known of the build counts */
        k.input = 0;
        e = 0;
    }
    if (e) {
        hd_error_set(err, e, "%s", hd_store_error(s->st));
        close_store(s);
        return e;
    }
    s->key.build = k.build;
    s->key.input = k.input;
    return 0;
}

/* Commits and closes, or explains why what was written is not there. */
static int finish(struct open_store *s, int e, struct hd_error *err)
{
    if (!e)
        e = hd_store_commit(s->st);
    if (e)
        hd_error_set(err, e, "%s", hd_store_error(s->st));
    close_store(s);
    return e;
}

/* ---- reading ------------------------------------------------------------------------------ */

struct loading {
    u64 layout;
    struct hd_search *search;
    struct hd_search_memory *to;
};

static bool get_sites(struct hd_map *site, struct hd_words *w)
{
    u64 n, pc, flags;
    if (!hd_words_line(w) || !hd_words_is(w, "sites") || !hd_words_hex(w, HD_SHM_SITES, &n) ||
        !hd_words_is_end(w))
        return false;
    for (; n; n--) {
        if (!hd_words_line(w) || !hd_words_is(w, "site") || !hd_words_hex(w, UINT64_MAX, &pc) ||
            !hd_words_hex(w, SITE_FLAGS, &flags) || !hd_words_is_end(w) || !pc || !flags ||
            flags & ~(u64)SITE_FLAGS)
            return false;
        hd_map_put(site, pc, flags);
    }
    return true;
}

bool hd_search_memory_parse(const char *text, size_t n, struct hd_search *s,
                            struct hd_search_memory *k)
{
    struct hd_words w = hd_words_of(text, n);
    u64 version, seed, data, epoch, spin, warm, restarts;
    struct hd_search_memory got = {0};
    if (!hd_words_line(&w) || !hd_words_is(&w, "heddle-search") ||
        !hd_words_hex(&w, VERSION, &version) || version != VERSION || !hd_words_is_end(&w) ||
        !hd_words_line(&w) || !hd_words_is(&w, "config") || !hd_words_hex(&w, UINT64_MAX, &seed) ||
        !hd_words_hex(&w, UINT64_MAX, &data) || !hd_words_hex(&w, INT64_MAX, &epoch) ||
        !hd_words_is_end(&w) || !hd_words_line(&w) || !hd_words_is(&w, "rounds") ||
        !hd_words_hex(&w, HD_SPIN_LAST, &spin) || spin < HD_SPIN_FIRST ||
        !hd_words_hex(&w, UINT32_MAX, &warm) || !hd_words_hex(&w, UINT32_MAX, &restarts) ||
        !hd_words_is_end(&w) || !hd_words_line(&w) || !hd_search_get_result(&got.before, &w))
        return false;
    got.seed = seed;
    got.data_seed = data;
    got.epoch_ns = (s64)epoch;
    got.spin_limit = (u32)spin;
    got.warm = (u32)warm;
    got.restarts = (u32)restarts;
    if (!get_sites(&got.site, &w) || !hd_search_load(s, &w)) {
        hd_map_release(&got.site);
        return false;
    }
    hd_map_release(&k->site);
    *k = got;
    return true;
}

static int take(void *self, const struct hd_store_search *s)
{
    struct loading *l = self;
    if (s->layout != l->layout)
        return -ENOENT;
    return hd_search_memory_parse(s->state, strlen(s->state), l->search, l->to) ? 0 : -EBADMSG;
}

/* Files of an older Heddle that would be read here. */
static bool has_old_files(const char *dir)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/search", dir);
    DIR *d = opendir(path);
    bool has = false;
    for (struct dirent *e; d && !has && (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        has = dot && (!strcmp(dot, ".search") || !strcmp(dot, ".learned"));
    }
    if (d)
        closedir(d);
    return has;
}

int hd_search_memory_load(const struct hd_director_opts *o, u64 layout, struct hd_search *s,
                          struct hd_search_memory *k, struct hd_error *note)
{
    struct open_store store;
    struct loading l = {.layout = layout, .search = s, .to = k};
    struct hd_error err = {""};
    int e = open_store(&store, o, HD_STORE_READ, 0, &err);
    if (!e) {
        e = hd_store_search_load(store.st, &store.key, take, &l);
        if (e && e != -ENOENT)
            hd_error_set(&err, e,
                         "the search saved in %s/store.db is damaged, or of another "
                         "version of Heddle",
                         o->dir);
        close_store(&store);
    }
    if (e && e != -ENOENT)
        hd_error_set(note, e, "nothing was continued: %s", err.text);
    else if (e && has_old_files(o->dir))
        hd_error_set(note, e,
                     "%s/search holds files of an older Heddle, which this one does not "
                     "read: the search starts anew and the files stay as they are",
                     o->dir);
    return e;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* NULL: out of memory. */
static char *format(const struct hd_search *s, const struct hd_search_memory *k)
{
    char *text = NULL;
    size_t n = 0;
    u64 pc, flags;
    FILE *to = open_memstream(&text, &n);
    if (!to)
        return NULL;
    fprintf(to, "heddle-search %x\nconfig %llx %llx %llx\nrounds %x %x %x\n", VERSION,
            (unsigned long long)k->seed, (unsigned long long)k->data_seed,
            (unsigned long long)HD_MAX(k->epoch_ns, (s64)0), k->spin_limit, k->warm, k->restarts);
    hd_search_put_result(&k->before, to);
    fprintf(to, "sites %zx\n", k->site.n);
    for (size_t i = 0; hd_map_next(&k->site, &i, &pc, &flags);)
        fprintf(to, "site %llx %llx\n", (unsigned long long)pc, (unsigned long long)flags);
    hd_search_save(s, to);
    bool is_bad = ferror(to);
    if (fclose(to) || is_bad) {
        free(text);
        return NULL;
    }
    return text;
}

int hd_search_memory_save(const struct hd_director_opts *o, u64 layout, const struct hd_search *s,
                          const struct hd_search_memory *k, double wait, struct hd_error *err)
{
    struct open_store store;
    if (hd_search_bytes(s) > MOST_BYTES)
        return hd_error_set(err, -EFBIG, "it is more than %zu MiB", MOST_BYTES >> 20);
    char *text = format(s, k);
    if (!text)
        return hd_error_set(err, -ENOMEM, "out of memory");
    int e = open_store(&store, o, HD_STORE_WRITE, wait, err);
    if (!e) {
        store.key.layout = layout;
        store.key.runs = hd_search_result(s)->runs;
        store.key.state = text;
        e = finish(&store, hd_store_search_save(store.st, &store.key), err);
    }
    free(text);
    return e;
}

void hd_search_memory_remove(const struct hd_director_opts *o, double wait)
{
    struct open_store store;
    if (!open_store(&store, o, HD_STORE_WRITE, wait, NULL))
        finish(&store, hd_store_search_remove(store.st, &store.key), NULL);
}

/* ---- hapset ---------------------------------------------------------------------------------- */

static bool is_hapset(const struct hd_director_opts *o)
{
    return !strcmp(o->search->name, "hapset");
}

static void give(void *self, u64 pair) { hd_search_give(self, &pair, 1); }

static int load_learned(const struct hd_director_opts *o, u64 layout, struct hd_search *s,
                        struct hd_error *err)
{
    struct open_store store;
    int e = open_store(&store, o, HD_STORE_READ, 0, err);
    if (e)
        return e;
    hd_store_predecessors_load(store.st, store.key.build, layout, give, s);
    close_store(&store);
    return 0;
}

void hd_search_memory_learned(const struct hd_director_opts *o, u64 layout, struct hd_search *s)
{
    if (is_hapset(o))
        load_learned(o, layout, s, NULL);
}

int hd_search_memory_learn_from(const struct hd_director_opts *o, u64 layout, struct hd_search *s,
                                struct hd_error *note)
{
    struct hd_director_opts other = *o;
    struct hd_error err = {""};
    u32 before = hd_search_learned(s, NULL, 0);
    other.dir = o->learn_from;
    other.cover = NULL; /* whose store is this campaign's */
    int e = load_learned(&other, layout, s, &err);
    if (!e && hd_search_learned(s, NULL, 0) > before)
        return 0;
    return hd_error_set(note, e ? e : -ENOENT, "nothing was learned from %s: %s", o->learn_from,
                        e && err.text[0] ? err.text
                                         : "no good run of this build under hapset is stored there");
}

void hd_search_memory_learn(const struct hd_director_opts *o, u64 layout, struct hd_search *s,
                            double wait)
{
    struct open_store store;
    u32 n = is_hapset(o) ? hd_search_learned(s, NULL, 0) : 0;
    u64 *pair = n && n <= MOST_LEARNED ? malloc(n * sizeof *pair) : NULL;
    if (pair && !open_store(&store, o, HD_STORE_WRITE, wait, NULL)) {
        hd_search_learned(s, pair, n);
        finish(&store, hd_store_predecessors_save(store.st, store.key.build, layout, pair, n),
               NULL);
    }
    free(pair);
}
