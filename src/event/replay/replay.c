/* replay.c: between a run and a struct hd_replay.
 *
 * Addresses mean nothing in another process, so every site is kept as module
 * and offset and turned back into an address with the module table of the
 * target that is to follow the script.
 */
#include "event/replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The part of cfg.mode that belongs to the run, not to how it was looked at. */
#define KEPT_MODE                                                                                  \
    (HD_MODE_NO_FILTER | HD_MODE_LEARN | HD_MODE_NO_MISUSE | HD_MODE_NO_HEAP | HD_MODE_CHECKS | \
     HD_MODE_BESIDE)

static const char *const verdict_word[] = {
    [HD_V_NONE] = "none",         [HD_V_CLEAN] = "clean",   [HD_V_EXIT] = "exit",
    [HD_V_SIGNAL] = "signal",     [HD_V_ASSERT] = "assert", [HD_V_DEADLOCK] = "deadlock",
    [HD_V_HANG] = "hang",         [HD_V_TIMEOUT] = "timeout", [HD_V_DIVERGED] = "diverged",
    [HD_V_CHECK] = "check",       [HD_V_HEAP] = "heap",     [HD_V_MISUSE] = "misuse",
    [HD_V_BUG] = "bug",           [HD_V_ENV] = "environment",
    [HD_V_OUTPUT] = "output",     [HD_V_CUT] = "cut",
    [HD_V_LIMIT] = "limit",
};
static const char *const choice_word[] = {
    [HD_CHOICE_PICK] = "pick", [HD_CHOICE_WAKE] = "wake",
    [HD_CHOICE_TIMEOUT] = "timeout", [HD_CHOICE_SIGNAL] = "signal",
    [HD_CHOICE_FOREIGN] = "foreign",
    [HD_CHOICE_CLOCK] = "clock",     [HD_CHOICE_STOP] = "stop",
    [HD_CHOICE_READ] = "read",
    [HD_CHOICE_RULE] = "rule",
};

const char *hd_replay_verdict_word(u32 kind)
{
    return kind < HD_COUNT(verdict_word) ? verdict_word[kind] : NULL;
}

const char *hd_replay_site_word(u8 flags)
{
    if (flags & HD_SITE_POINT)
        return "point";
    if (flags & HD_SITE_SPIN)
        return flags & HD_SITE_GOAL ? "goal-spin" : "spin";
    return flags & HD_SITE_GOAL ? "goal" : "event";
}

const char *hd_replay_choice_word(u32 kind)
{
    return kind < HD_COUNT(choice_word) ? choice_word[kind] : NULL;
}

u64 hd_replay_sum(const char *text, size_t n)
{
    u64 h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (u8)text[i]) * 0x100000001b3ull;
    return h;
}

void hd_replay_init(struct hd_replay *r)
{
    memset(r, 0, sizeof *r);
    r->version = HD_REPLAY_VERSION;
}

void hd_replay_release(struct hd_replay *r)
{
    for (u32 i = 0; r->others && i < r->n_others; i++)
        hd_replay_release(&r->others[i]);
    free(r->others);
    for (u32 i = 0; i < r->argc; i++)
        free(r->argv[i]);
    free(r->argv);
    free(r->modules);
    free(r->sites);
    free(r->choice);
    free(r->site);
    free(r->check);
    free(r->io_results);
    hd_tail_release(&r->more);
    hd_inherited_release(&r->inherited);
    for (u32 i = 0; i < r->n_places; i++) {
        free(r->places[i].function);
        free(r->places[i].text);
    }
    free(r->places);
    hd_replay_init(r);
}

int hd_replay_add_place(struct hd_replay *r, u64 site, u32 line, u32 ordinal, const char *function,
                        const char *text)
{
    struct hd_replay_place *grown = realloc(r->places, (r->n_places + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    r->places = grown;
    struct hd_replay_place *p = &grown[r->n_places];
    *p = (struct hd_replay_place){site, line, ordinal, strdup(function), strdup(text)};
    if (!p->function || !p->text) {
        free(p->function);
        free(p->text);
        return -ENOMEM;
    }
    r->n_places++;
    return 0;
}

void hd_replay_process(const struct hd_replay *r, char *buf, size_t size)
{
    const char *slash = strrchr(r->program, '/');
    int n = snprintf(buf, size, "%.200s%s", slash ? slash + 1 : r->program,
                     r->cfg.is_forked ? " (forked)" : "");
    if (n > 0 && (size_t)n < size && (r->cfg.is_forked || r->cfg.instance > 1))
        snprintf(buf + n, size - (size_t)n, ", number %u of them", r->cfg.instance);
}

static void *copy_of(const void *from, size_t n, size_t size)
{
    void *to = calloc(n + 1, size);
    if (to && n)
        memcpy(to, from, n * size);
    return to;
}

static int copy_argv(struct hd_replay *r, char *const *argv);

static int copy_others(struct hd_replay *to, const struct hd_replay *r)
{
    to->n_others = 0;
    to->others = calloc((size_t)r->n_others + 1, sizeof *to->others);
    if (!to->others)
        return -ENOMEM;
    for (; to->n_others < r->n_others; to->n_others++) {
        int e = hd_replay_copy(&to->others[to->n_others], &r->others[to->n_others]);
        if (e)
            return e;
    }
    return 0;
}

int hd_replay_copy(struct hd_replay *to, const struct hd_replay *r)
{
    static char *const none[] = {NULL};
    *to = *r;
    to->argv = NULL;
    to->argc = 0;
    to->modules = copy_of(r->modules, r->n_modules, sizeof *r->modules);
    to->sites = copy_of(r->sites, r->n_sites, sizeof *r->sites);
    to->choice = copy_of(r->choice, r->n, sizeof *r->choice);
    to->site = copy_of(r->site, r->n, sizeof *r->site);
    to->check = copy_of(r->check, r->n, sizeof *r->check);
    to->io_results = copy_of(r->io_results, r->n_io_results, sizeof *r->io_results);
    to->places = NULL;
    to->n_places = 0;
    to->others = NULL;
    int e = hd_tail_copy(&to->more, &r->more);
    int e2 = hd_inherited_copy(&to->inherited, &r->inherited);
    e = e ? e : e2;
    if (!e)
        e = copy_argv(to, r->argv ? r->argv : none);
    for (u32 i = 0; i < r->n_places && !e; i++) {
        const struct hd_replay_place *p = &r->places[i];
        e = hd_replay_add_place(to, p->site, p->line, p->ordinal, p->function, p->text);
    }
    if (!to->modules || !to->sites || !to->choice || !to->site || !to->check || !to->io_results)
        e = -ENOMEM;
    if (!e && r->others)
        e = copy_others(to, r);
    if (e)
        hd_replay_release(to);
    return e;
}

/* ---- from a run ------------------------------------------------------- */

static u64 pack(const struct hd_module *mod, u32 n, u64 pc)
{
    for (u32 i = 0; i < n; i++)
        if (pc >= mod[i].start && pc < mod[i].end && pc - mod[i].bias < (u64)1 << 48)
            return (u64)i << 48 | (pc - mod[i].bias);
    if (!pc || pc >> 48)
        return HD_REPLAY_NO_SITE;
    return (u64)HD_REPLAY_NO_MODULE << 48 | pc; /* made at run time: may come back there */
}

static u64 unpack(const u64 *bias, u64 at)
{
    if (at == HD_REPLAY_NO_SITE)
        return 0;
    u32 i = HD_REPLAY_MODULE(at);
    return (i == HD_REPLAY_NO_MODULE ? 0 : bias[i]) + HD_REPLAY_OFFSET(at);
}

static int copy_argv(struct hd_replay *r, char *const *argv)
{
    u32 n = 0;
    while (argv[n])
        n++;
    r->argv = calloc(n + 1, sizeof *r->argv);
    if (!r->argv)
        return -ENOMEM;
    for (; r->argc < n; r->argc++)
        if (!(r->argv[r->argc] = strdup(argv[r->argc])))
            return -ENOMEM;
    return 0;
}

static int copy_modules(struct hd_replay *r, const struct hd_module *mod, u32 n)
{
    r->modules = calloc(n + 1, sizeof *r->modules);
    if (!r->modules)
        return -ENOMEM;
    for (u32 i = 0; i < n; i++) {
        struct hd_replay_module *to = &r->modules[i];
        memcpy(to->path, mod[i].path, sizeof to->path - 1);
        to->build_id_len = HD_MIN(mod[i].build_id_len, (u32)sizeof to->build_id);
        memcpy(to->build_id, mod[i].build_id, to->build_id_len);
        to->bias = mod[i].bias;
    }
    r->n_modules = n;
    return 0;
}

/* What the run began with: a replay finds out the rest again by itself. */
static int copy_sites(struct hd_replay *r, struct hd_snapshot *m)
{
    const u8 kept = HD_SITE_GOAL | HD_SITE_POINT | HD_SITE_SPIN;
    u32 n_sites, n = 0, n_mod;
    const struct hd_module *mod = hd_snapshot_modules(m, &n_mod);
    const struct hd_site *s = hd_snapshot_sites(m, &n_sites);
    for (u32 i = 0; i < n_sites; i++)
        n += (hd_site_known_to(&s[i], r->run) & (kept | HD_SITE_EVENT)) != 0;
    r->sites = calloc((size_t)n + 1, sizeof *r->sites);
    if (!r->sites)
        return -ENOMEM;
    for (u32 i = 0; i < n_sites; i++) {
        u8 known = hd_site_known_to(&s[i], r->run) & (kept | HD_SITE_EVENT);
        u64 at = known ? pack(mod, n_mod, s[i].pc) : HD_REPLAY_NO_SITE;
        if (HD_REPLAY_MODULE(at) != HD_REPLAY_NO_MODULE)
            r->sites[r->n_sites++] = (struct hd_replay_site){
                (u16)HD_REPLAY_MODULE(at), HD_SITE_EVENT | known, HD_REPLAY_OFFSET(at)};
    }
    return 0;
}

static int copy_log(struct hd_replay *r, struct hd_snapshot *m)
{
    u32 n_mod;
    const struct hd_module *mod = hd_snapshot_modules(m, &n_mod);
    const struct hd_choice *all = hd_snapshot_choices(m, &r->n);
    const u64 *site = hd_snapshot_choice_sites(m), *check = hd_snapshot_choice_checks(m);
    r->choice = calloc((size_t)r->n + 1, sizeof *r->choice);
    r->site = calloc((size_t)r->n + 1, sizeof *r->site);
    r->check = copy_of(check, r->n, sizeof *r->check);
    if (!r->choice || !r->site || !r->check)
        return -ENOMEM;
    for (u32 i = 0; i < r->n; i++) {
        struct hd_choice c = all[i];
        bool is_signal = c.kind == HD_CHOICE_FOREIGN && c.flags >> HD_CHOICE_SIGNO_SHIFT <= 64;
        r->choice[i] = (struct hd_choice){c.count, c.tid, c.kind, is_signal ? c.flags : 0};
        r->site[i] = pack(mod, n_mod, site[i]);
    }
    return hd_snapshot_tail(m, &r->more);
}

int hd_replay_from_run(struct hd_replay *r, struct hd_snapshot *m, const char *program,
                       char *const *argv)
{
    hd_replay_init(r);
    size_t size = strlen(program) + 1;
    if (size > sizeof r->program)
        return -ENAMETOOLONG;
    memcpy(r->program, program, size);
    if (!getcwd(r->cwd, sizeof r->cwd))
        r->cwd[0] = '\0';
    memcpy(r->inherited.fds, m->shm.host->inherited, sizeof r->inherited.fds);
    r->cfg = m->cfg;
    r->cfg.mode &= KEPT_MODE;
    r->is_random = m->shm.host->is_random;
    r->cfg.proof_step = m->stats.proof_step;
    r->run = m->number;
    r->verdict = m->verdict.kind;
    r->limit = r->verdict == HD_V_LIMIT ? m->verdict.limit : 0;
    r->steps = m->stats.steps;
    r->hash = m->stats.hash;
    u32 n_mod;
    const struct hd_module *mod = hd_snapshot_modules(m, &n_mod);
    int e = copy_argv(r, argv);
    if (!e)
        e = copy_modules(r, mod, n_mod);
    if (!e)
        e = copy_sites(r, m);
    if (!e)
        e = copy_log(r, m);
    if (!e) {
        const struct hd_io_result *results = hd_snapshot_io_results(m, &r->n_io_results);
        r->io_results = copy_of(results, r->n_io_results, sizeof *r->io_results);
        e = r->io_results ? 0 : -ENOMEM;
    }
    if (e)
        hd_replay_release(r);
    return e;
}

/* ---- to shared memory -------------------------------------------------- */

static bool same_build(const struct hd_replay_module *a, const struct hd_module *b)
{
    return a->build_id_len && a->build_id_len == b->build_id_len &&
           !memcmp(a->build_id, b->build_id, a->build_id_len);
}

static u64 bias_now(const struct hd_replay_module *want, const struct hd_module *mod, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (!strcmp(want->path, mod[i].path))
            return mod[i].bias;
    for (u32 i = 0; i < n; i++)
        if (same_build(want, &mod[i]))
            return mod[i].bias;
    return want->bias;
}

/* The entries behind those of the arrays go to the file that the target reads. */
int hd_replay_place_more(const struct hd_tail *more, u32 n, struct hd_snapshot *run)
{
    struct hd_shm_host *m = run->shm.host;
    u8 buf[1 << 16];
    m->script_packed = more->bytes;
    m->script_packed_for = n;
    if (!more->bytes)
        return 0;
    if (run->shm.script_fd <= 0)
        return -E2BIG;
    for (u64 at = 0; at < more->bytes;) {
        ssize_t k = pread(more->fd, buf, sizeof buf, (off_t)at);
        ssize_t done = k > 0 ? pwrite(run->shm.script_fd, buf, (size_t)k, (off_t)at) : -1;
        if (done <= 0)
            return -EIO;
        at += (u64)done;
    }
    return 0;
}

int hd_replay_to_shm(const struct hd_replay *r, struct hd_snapshot *run)
{
    struct hd_shm_host *m = run->shm.host;
    u32 n_mod;
    const struct hd_module *mod = hd_snapshot_modules(run, &n_mod);
    if (r->n > HD_SHM_LOG || r->n_sites > HD_SHM_SITES / 2 || r->n_io_results > HD_SHM_IO_RESULTS)
        return -E2BIG;
    int e = hd_replay_place_more(&r->more, r->n, run);
    u64 *bias = e ? NULL : calloc((size_t)r->n_modules + 1, sizeof *bias);
    if (!bias)
        return e ? e : -ENOMEM;
    for (u32 i = 0; i < r->n_modules; i++)
        bias[i] = bias_now(&r->modules[i], mod, n_mod);

    hd_shm_marks_begin(m, true);
    for (u32 i = 0; i < r->n_sites; i++)
        hd_shm_mark(m, bias[r->sites[i].module] + r->sites[i].offset, HD_SINCE_START,
                    r->sites[i].flags);

    memcpy(hd_shm_script_choice(m), r->choice, sizeof *r->choice * r->n);
    memcpy(hd_shm_script_check(m), r->check, sizeof *r->check * r->n);
    for (u32 i = 0; i < r->n; i++)
        hd_shm_script_site(m)[i] = unpack(bias, r->site[i]);
    m->script_n = m->io_results_for = r->n;
    m->script_steps = r->steps;
    m->look_step = HD_MAX(HD_MAX(r->race, r->race_with), HD_MAX(r->race_third, r->race_fourth));
    m->is_random = r->is_random;
    run->others = r->others;
    run->n_others = r->others ? r->n_others : 0;
    m->n_script_io_results = r->n_io_results;
    if (r->n_io_results)
        memcpy(hd_shm_script_io_results(m), r->io_results, sizeof *r->io_results * r->n_io_results);
    free(bias);

    struct hd_config now = m->cfg;
    m->cfg = r->cfg;
    m->cfg.mode = (r->cfg.mode & KEPT_MODE) | (now.mode & ~(u32)KEPT_MODE) | HD_MODE_REPLAY |
                  HD_MODE_STRICT | HD_MODE_HEAP_ALL;
    m->cfg.cpu = now.cpu;
    return 0;
}
