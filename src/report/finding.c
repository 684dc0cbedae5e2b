/* finding.c: makes a finding of a failing run. */
#include "report/finding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/explain/refine.h"
#include "report/explain/model.h"

#define MAX_OUTPUT (1u << 20) /* bytes of captured output kept, from the end */

static int copy_output(int fd, char **text, size_t *len)
{
    struct stat st;
    *text = NULL;
    *len = 0;
    if (fd < 0)
        return 0;
    if (fstat(fd, &st))
        return -errno;
    size_t n = HD_MIN((size_t)st.st_size, (size_t)MAX_OUTPUT);
    char *buf = malloc(n + 1);
    if (!buf)
        return -ENOMEM;
    size_t at = 0;
    while (at < n) {
        ssize_t got = pread(fd, buf + at, n - at, st.st_size - (off_t)(n - at));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        at += (size_t)got;
    }
    buf[at] = 0;
    *text = buf;
    *len = at;
    return 0;
}

static bool is_wild_jump(const struct hd_verdict *v, struct hd_snapshot *m)
{
    u32 n;
    const struct hd_module *all = hd_snapshot_modules(m, &n);
    for (u32 i = 0; i < n; i++)
        if (v->pc - all[i].start < all[i].end - all[i].start)
            return false;
    return v->kind == HD_V_SIGNAL && n;
}

/* Frames innermost first: where the thread is, then the calls that led there. */
static int copy_stack(struct hd_finding_thread *t, const struct hd_verdict *v, struct hd_snapshot *m,
                      const struct hd_shm_thread *from)
{
    u32 depth;
    const struct hd_frame *frames = hd_snapshot_frames(m, t->tid, &depth);
    u64 here = from->op_site;
    t->frames_lost = from->depth - depth;
    if (t->state == HD_T_FINISHED || t->state == HD_T_NEW) {
        depth = 0;
        here = 0;
    } else if (t->tid == v->tid && v->kind != HD_V_DEADLOCK && v->kind != HD_V_HANG) {
        if (v->pc && !is_wild_jump(v, m)) {
            here = v->pc;
            t->is_exact = v->signo != 0;
        } else if (v->signo && from->call_site) {
            here = from->call_site; /* it jumped to an address without code */
        } else {
            t->is_guess = t->state == HD_T_RUNNING;
        }
    } else if (t->state == HD_T_RUNNING) {
        t->is_guess = true;
    }
    t->frames = malloc((depth + 1) * sizeof *t->frames);
    if (!t->frames)
        return -ENOMEM;
    if (here)
        t->frames[t->n_frames++] = here;
    for (u32 i = depth; i-- > 0;)
        if (frames[i].pc)
            t->frames[t->n_frames++] = frames[i].pc;
    return 0;
}

static int copy_threads(struct hd_finding *f, struct hd_snapshot *m)
{
    u32 max;
    const struct hd_shm_thread *all = hd_snapshot_threads(m, &max);
    f->threads = calloc(max ? max : 1, sizeof *f->threads);
    if (!f->threads)
        return -ENOMEM;
    for (u32 i = 0; i < max; i++) {
        if (all[i].state == HD_T_FREE)
            continue;
        struct hd_finding_thread *t = &f->threads[f->n_threads++];
        t->tid = (u16)i;
        t->state = all[i].state;
        t->op_kind = all[i].op_kind;
        t->parent = all[i].parent;
        t->create_site = all[i].create_site;
        memcpy(t->create_pc, all[i].create_pc, sizeof t->create_pc);
        t->call_site = all[i].call_site;
        t->op_site = all[i].op_site;
        t->op_obj = all[i].op_obj;
        t->op_arg = all[i].op_arg;
        t->stack_lo = all[i].stack_lo;
        t->stack_hi = all[i].stack_hi;
        memcpy(t->name, all[i].name, sizeof t->name);
        int rc = copy_stack(t, &f->verdict, m, &all[i]);
        if (rc)
            return rc;
    }
    return 0;
}

static int copy_events(struct hd_finding *f, struct hd_snapshot *m)
{
    const struct hd_event *all = hd_snapshot_events(m, &f->n_events);
    f->events = malloc((f->n_events ? f->n_events : 1) * sizeof *f->events);
    if (!f->events)
        return -ENOMEM;
    memcpy(f->events, all, f->n_events * sizeof *f->events);
    return 0;
}

void hd_finding_details(struct hd_finding *f, struct hd_snapshot *m)
{
    u64 total = m->stats.events;
    if (m->stats.hash != f->stats.hash || f->details)
        return;
    if (total != f->stats.events) { /* the host listened to more than this run's steps */
        free(f->events);
        f->events = NULL;
        f->n_events = 0;
        f->stats.events = total;
        if (copy_events(f, m))
            return;
    }
    f->details = calloc(f->n_events ? f->n_events : 1, sizeof *f->details);
    if (f->details)
        memcpy(f->details, hd_snapshot_details(m), f->n_events * sizeof *f->details);
}

/* Who ended the process if nobody called exit(). */
static u16 last_to_run(struct hd_snapshot *m)
{
    u32 n;
    const struct hd_shm_thread *t = hd_snapshot_threads(m, &n);
    for (u32 i = 0; i < n; i++)
        if (t[i].state == HD_T_RUNNING)
            return (u16)i;
    return 0;
}

int hd_finding_from_run(struct hd_finding *f, struct hd_snapshot *m, int out, int err)
{
    memset(f, 0, sizeof *f);
    hd_replay_init(&f->replay);
    f->verdict = m->verdict;
    f->stats = m->stats;
    if (f->verdict.kind == HD_V_EXIT) {
        f->verdict.pc = f->verdict.exit_pc;
        f->verdict.tid = f->verdict.exit_pc ? f->verdict.exit_tid : last_to_run(m);
    }
    f->seed = m->cfg.seed;
    f->run = m->number;
    const struct hd_module *modules = hd_snapshot_modules(m, &f->n_modules);
    f->modules = malloc((f->n_modules ? f->n_modules : 1) * sizeof *f->modules);
    int rc = f->modules ? 0 : -ENOMEM;
    if (!rc) {
        if (f->n_modules) {
            memcpy(f->modules, modules, f->n_modules * sizeof *f->modules);
            snprintf(f->program, sizeof f->program, "%s", f->modules[0].path);
        }
        rc = copy_threads(f, m);
    }
    if (!rc)
        rc = copy_events(f, m);
    if (!rc && m->cfg.mode & HD_MODE_DETAIL)
        hd_finding_details(f, m);
    if (!rc)
        rc = copy_output(out, &f->out, &f->out_len);
    if (!rc)
        rc = copy_output(err, &f->err, &f->err_len);
    if (rc)
        hd_finding_release(f);
    return rc;
}

void hd_finding_release(struct hd_finding *f)
{
    for (u32 i = 0; i < f->n_threads; i++)
        free(f->threads[i].frames);
    free(f->threads);
    free(f->modules);
    free(f->events);
    free(f->details);
    free(f->out);
    free(f->err);
    hd_replay_release(&f->replay);
    hd_replay_release(&f->original);
    memset(f, 0, sizeof *f);
}

const char *hd_finding_kind(const struct hd_finding *f)
{
    static const char *const name[] = {
        [HD_V_NONE] = "killed", [HD_V_CLEAN] = "clean", [HD_V_EXIT] = "exit",
        [HD_V_SIGNAL] = "signal", [HD_V_ASSERT] = "assertion", [HD_V_DEADLOCK] = "deadlock",
        [HD_V_HANG] = "hang", [HD_V_TIMEOUT] = "timeout", [HD_V_DIVERGED] = "diverged",
        [HD_V_CHECK] = "check", [HD_V_HEAP] = "heap", [HD_V_MISUSE] = "misuse",
        [HD_V_BUG] = "bug", [HD_V_ENV] = "environment", [HD_V_OUTPUT] = "output",
        [HD_V_CUT] = "cut", [HD_V_LIMIT] = "limit",
    };
    struct hd_refined r;
    if (f->race.class > HD_RACE_FAILS)
        return f->race.step[2] ? "atomicity" : "race";
    if (f->verdict.kind == HD_V_MISUSE && f->verdict.misuse.kind == HD_MISUSE_LEAK)
        return "leak";
    if (f->verdict.kind == HD_V_MISUSE && f->verdict.misuse.kind > HD_MISUSE_LEAK)
        return "handler";
    hd_refine(f, &r);
    if (r.kind == HD_REFINED_LOST_WAKEUP)
        return "lost-wakeup";
    if (r.kind == HD_REFINED_LIVELOCK)
        return "livelock";
    return f->verdict.kind < HD_COUNT(name) ? name[f->verdict.kind] : "unknown";
}
