/* notes.c: remarks about threads that are no failure and still worth a line in
 * the summary: threads that outlive main, threads nobody joined or detached,
 * threads that ended with a lock held.
 *
 * Kept in shared memory over all runs of a server, counted once a run and
 * place; the child writes, the host reads when the campaign is over.
 */
#include "runtime/core/notes.h"

#include "runtime/core/gate.h"

void hd_note_add(enum hd_note_kind kind, u64 site, u64 obj)
{
    struct hd_notes *all = &hd_rt.run->notes;
    u32 run = (u32)hd_rt.server->run + 1;
    for (u32 i = 0; i < all->n; i++) {
        struct hd_note *n = &all->at[i];
        if (n->kind != (u32)kind || n->site != site)
            continue;
        n->runs += n->last_run != run;
        n->last_run = run;
        return;
    }
    if (all->n < HD_SHM_NOTES)
        all->at[all->n++] = (struct hd_note){kind, 1, run, 0, site, obj};
}

static void note_threads(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    const struct hd_shm_thread *info = hd_shm_threads(hd_rt.run);
    for (u32 t = 1; t < s->n_threads; t++) {
        const struct hd_sthread *th = &s->thread[t];
        if (t == hd_tls.tid || !info[t].create_site || hd_thread[t].is_helper)
            continue;
        if (th->state == HD_T_FINISHED && !th->is_joined && !th->is_detached)
            hd_note_add(HD_NOTE_UNJOINED, info[t].create_site, 0);
        else if (th->state == HD_T_PENDING || th->state == HD_T_BLOCKED_OUTSIDE)
            hd_note_add(HD_NOTE_OUTLIVES, info[t].create_site, 0);
    }
}

void hd_notes_at_end(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    const struct hd_shm_thread *info = hd_shm_threads(hd_rt.run);
    note_threads();
    if (!(hd_rt.server->cfg.mode & HD_MODE_CHECK_LEAKS))
        return;
    for (u32 t = 1; t < s->n_threads; t++) {
        const struct hd_sthread *th = &s->thread[t];
        if (th->state != HD_T_FINISHED || th->is_joined || th->is_detached || !info[t].create_site)
            continue;
        hd_rt.run->verdict.misuse = (struct hd_misuse){
            .kind = HD_MISUSE_LEAK, .tid = (u16)t, .owner = HD_NO_THREAD, .site = info[t].create_site,
            .step = s->step};
        hd_rt.run->verdict.pc = info[t].create_site;
        hd_die(HD_V_MISUSE, "a thread that nobody joined or detached");
    }
}
