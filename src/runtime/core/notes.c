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

static _Noreturn void die_of_leak(u16 t, u64 site)
{
    hd_rt.run->verdict.misuse = (struct hd_misuse){
        .kind = HD_MISUSE_LEAK, .tid = t, .owner = HD_NO_THREAD, .site = site,
        .step = hd_rt.sched.step};
    hd_rt.run->verdict.pc = site;
    hd_die(HD_V_MISUSE, "a thread that nobody joined or detached");
}

void hd_notes_at_end(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    const struct hd_shm_thread *info = hd_shm_threads(hd_rt.run);
    for (u32 t = 1; t < s->n_threads; t++) {
        const struct hd_sthread *th = &s->thread[t];
        bool is_left = th->state == HD_T_FINISHED && !th->is_joined && !th->is_detached;
        if (t == hd_tls.tid || !info[t].create_site || hd_thread[t].is_helper)
            continue;
        if (is_left && hd_rt.server->cfg.mode & HD_MODE_CHECK_LEAKS)
            die_of_leak((u16)t, info[t].create_site);
        if (is_left)
            hd_note_add(HD_NOTE_UNJOINED, info[t].create_site, 0);
        else if (th->state == HD_T_PENDING || th->state == HD_T_BLOCKED_OUTSIDE)
            hd_note_add(HD_NOTE_OUTLIVES, info[t].create_site, 0);
    }
}
