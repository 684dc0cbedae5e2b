/* recall.c: a cheap run need not be made again if nothing has changed that it depends on: the program
 * (by its build-id), arguments, environment, standard input, script, commands around it, and the files
 * that any of these name, by size and time of change. Then its profile comes from the store.
 *
 * What an input reads without naming it, and libraries, are not looked at.
 */
#include "suite/recall.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_TEXT (1 << 20) /* of a script */

struct setting {
    u64 hash[2];
};

static void add(struct setting *s, const void *data, size_t n)
{
    for (u32 k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++)
            s->hash[k] = (s->hash[k] ^ ((const u8 *)data)[i]) * 0x100000001b3ull;
        s->hash[k] = (s->hash[k] ^ n) * (k ? 0x9e3779b97f4a7c15ull : 0xbf58476d1ce4e5b9ull);
    }
}

static void add_text(struct setting *s, const char *text) { add(s, text ? text : "", text ? strlen(text) + 1 : 0); }

/* A word that may be the name of a file. */
static void add_file(struct setting *s, const char *cwd, const char *word, size_t n)
{
    char path[4096];
    struct stat st;
    bool is_absolute = *word == '/' || !cwd;
    if (!n || snprintf(path, sizeof path, "%s%s%.*s", is_absolute ? "" : cwd, is_absolute ? "" : "/", (int)n,
                       word) >= (int)sizeof path || stat(path, &st) || !S_ISREG(st.st_mode))
        return;
    const s64 is[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    add(s, is, sizeof is);
}

/* Also what a command of a shell, or a line of a script, names. */
static void add_files(struct setting *s, const char *cwd, const char *text)
{
    static const char between[] = " \t\n\"'=<>|&;(){}[],";
    for (const char *p = text; p && *p;) {
        size_t n = strcspn(p, between);
        add_file(s, cwd, p, n);
        p += n + (p[n] != '\0');
    }
}

static void add_words(struct setting *s, const char *cwd, char *const *words)
{
    for (; words && *words; words++) {
        add_text(s, *words);
        add_file(s, cwd, *words, strlen(*words)); /* as a whole: names may have blanks */
        add_files(s, cwd, *words);
    }
    add(s, "", 0);
}

static void add_content(struct setting *s, const char *cwd, const char *path, bool is_script)
{
    char *text = calloc(1, MOST_TEXT + 1);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n;
    HD_ASSERT(text);
    while (fd >= 0 && (n = read(fd, text, MOST_TEXT)) > 0) {
        text[n] = '\0';
        add(s, text, (size_t)n);
        if (is_script)
            add_files(s, cwd, text);
    }
    if (fd >= 0)
        close(fd);
    free(text);
}

static struct setting setting_of(const struct hd_suite_input *in)
{
    struct setting s = {{0xcbf29ce484222325ull, 0x84222325cbf29ce4ull}};
    add_text(&s, HD_VERSION);
    add_words(&s, in->cwd, in->argv[0] ? in->argv + 1 : in->argv);
    add_words(&s, in->cwd, in->env);
    add_content(&s, in->cwd, in->stdin_file, false);
    add_content(&s, in->cwd, in->script, true);
    add_text(&s, in->script_input);
    add_text(&s, in->setup);
    add_files(&s, in->cwd, in->setup);
    add_text(&s, in->cleanup);
    add(&s, in->exit_ok, in->n_exit_ok * sizeof *in->exit_ok);
    return s;
}

/* ---- the store ------------------------------------------------------------------------ */

void hd_suite_memory_open(struct hd_suite_memory *m, const char *dir)
{
    struct hd_error err;
    *m = (struct hd_suite_memory){0};
    if (dir)
        hd_store_open(&m->st, dir, HD_STORE_WRITE, 0, &err);
}

void hd_suite_memory_close(struct hd_suite_memory *m)
{
    hd_store_close(m->st, NULL);
    hd_places_release(&m->places);
    *m = (struct hd_suite_memory){0};
}

/* Not as one that was tested: that comes with its first campaign. */
static s64 build_of(struct hd_suite_memory *m, const struct hd_target *t)
{
    struct hd_module exe = {.build_id_len = HD_MIN(t->build_id_len, 32u)};
    memcpy(exe.build_id, t->build_id, exe.build_id_len);
    snprintf(exe.path, sizeof exe.path, "%.255s", t->path);
    u32 module = hd_places_loaded(&m->places, &exe); /* may move the list */
    const struct hd_place_module *p = &m->places.module.at[module];
    return hd_store_build(m->st, 0, p->hash, p->hash_len, t->path);
}

static int take(void *self, const struct hd_store_profile *from)
{
    struct hd_suite_profile *p = self;
    const size_t pairs = from->pairs_len / sizeof *p->pair.at, sites = from->sites_len / sizeof *p->site.at;
    if (from->state != HD_SUITE_READY && from->state != HD_SUITE_SINGLE)
        return 0;
    p->state = from->state;
    p->differs = from->differs;
    p->threads = from->threads;
    p->events = from->events;
    p->seconds = from->seconds;
    p->was_known = true;
    for (size_t i = 0; i < pairs; i++)
        memcpy(hd_vec_add(&p->pair), (const struct hd_suite_pair *)from->pairs + i, sizeof *p->pair.at);
    for (size_t i = 0; i < sites; i++)
        memcpy(hd_vec_add(&p->site), (const struct hd_suite_site *)from->sites + i, sizeof *p->site.at);
    if (p->state == HD_SUITE_SINGLE)
        HD_ASSERT(p->why = strdup("never has a second thread"));
    return 1;
}

bool hd_suite_recall(struct hd_suite_memory *m, struct hd_suite_input *in, const struct hd_target *program)
{
    s64 build = m->st ? build_of(m, program) : -1;
    struct setting s = setting_of(in);
    return build > 0 && hd_store_profiles(m->st, build, &s, sizeof s, take, &in->profile) == 1;
}

void hd_suite_remember(struct hd_suite_memory *m, const struct hd_suite_input *in,
                       const struct hd_target *program)
{
    const struct hd_suite_profile *p = &in->profile;
    struct setting s = setting_of(in);
    bool is_good = (p->state == HD_SUITE_READY && !p->fails) || p->state == HD_SUITE_SINGLE;
    s64 build = m->st && is_good ? build_of(m, program) : -1;
    if (build <= 0)
        return;
    hd_store_profile_put(m->st, build, &s, sizeof s,
                         &(struct hd_store_profile){
                             .state = p->state, .differs = p->differs, .threads = p->threads,
                             .events = p->events, .seconds = p->seconds, .pairs = p->pair.at,
                             .pairs_len = (u32)(p->pair.n * sizeof *p->pair.at), .sites = p->site.at,
                             .sites_len = (u32)(p->site.n * sizeof *p->site.at)});
    hd_store_tick(m->st);
}

int hd_suite_recall_args(struct hd_store *st, s64 build, char **argv, hd_suite_recalled *fn, void *self)
{
    struct setting s = setting_of(&(struct hd_suite_input){.argv = argv});
    return hd_store_profiles(st, build, &s, sizeof s, fn, self);
}
