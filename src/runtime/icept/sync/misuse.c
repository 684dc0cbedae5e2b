/* misuse.c: what POSIX calls undefined and glibc lets pass ends the run, right
 * after the step in which it happened: later the program may crash, hang or
 * work by luck, and nothing would lead back here. The scheduler notes it
 * (sched.misuse); this file decides what is clear-cut enough for a verdict.
 *
 *   unlock by another thread, of a free lock    )
 *   destroy of what is in use               )  verdict
 *   wait without the mutex, with two        )
 *   normal mutex locked again by its owner     a deadlock: a cycle of one
 *   thread that ends with a lock               a note (notes.c): others may not mind
 */
#include "runtime/icept/sync/misuse.h"

#include "runtime/core/notes.h"

u32 hd_misuse_seen;

static const char *text_of(u8 kind)
{
    switch (kind) {
    case HD_MISUSE_UNLOCK_NOT_OWNER:
        return "unlock by a thread that does not hold the lock";
    case HD_MISUSE_UNLOCK_FREE: return "unlock of a lock that nobody holds";
    case HD_MISUSE_DESTROY_HELD: return "destroy of an object in use";
    case HD_MISUSE_WAIT_WITHOUT: return "condition wait without holding the mutex";
    case HD_MISUSE_WAIT_TWO: return "condition wait with two different mutexes";
    default: return NULL;
    }
}

void hd_misuse_judge(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    struct hd_verdict *v = &hd_rt.run->verdict;
    /* A constructor's is before every run: there is no run to end. */
    bool is_off = hd_rt.server->cfg.mode & HD_MODE_NO_MISUSE || !hd_rt.server->is_ready;
    if (hd_misuse_seen > s->n_misuse)
        hd_misuse_seen = 0; /* a new run */
    while (hd_misuse_seen < s->n_misuse) {
        const struct hd_misuse *m = &s->misuse[hd_misuse_seen++];
        const char *text = text_of(m->kind);
        if (m->kind == HD_MISUSE_EXIT_HOLDING)
            hd_note_add(HD_NOTE_EXIT_HOLDING, hd_shm_threads(hd_rt.run)[m->tid].create_site,
                        m->obj);
        if (!text || is_off)
            continue;
        v->misuse = *m;
        v->pc = m->site;
        hd_die(HD_V_MISUSE, text);
    }
}
