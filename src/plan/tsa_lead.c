/* tsa_lead.c: see tsa_lead.h. */
#include "plan/tsa_lead.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)32 << 20)
#define CHOICES_MAX 65536
#define TRIES 16   /* runs looked at for the site */
#define BACK 8     /* calls before it, at most, where the run is left */

static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    HD_ASSERT(to);
    memcpy(to, from, bytes);
    return to;
}

void hd_tsa_leads_add(struct hd_tsa_leads *l, struct hd_snapshot *run,
                      const struct hd_tsa_call *call, size_t n_calls)
{
    u32 n;
    const struct hd_choice *choice = hd_snapshot_choices(run, &n);
    size_t bytes = n * sizeof(struct hd_choice) + n_calls * sizeof *call;
    if (!n || !n_calls || n > CHOICES_MAX || l->bytes + bytes > BYTES_MAX)
        return;
    *hd_vec_add(&l->at) = (struct hd_tsa_lead){
        .choice = copy(choice, n * sizeof(struct hd_choice)), .n = n,
        .call = copy(call, n_calls * sizeof *call), .n_calls = (u32)n_calls};
    l->bytes += bytes;
}

/* The first `steps` steps of it. */
static void put(const struct hd_tsa_lead *l, u32 steps, struct hd_shm_host *m)
{
    struct hd_choice *to = hd_shm_script_choice(m);
    u32 n = 0;
    for (; n < l->n && steps; n++) {
        to[n] = l->choice[n];
        if (to[n].kind != HD_CHOICE_PICK)
            continue;
        to[n].count = HD_MIN(to[n].count, steps);
        steps -= to[n].count;
    }
    m->script_n = n;
    m->cfg.mode |= HD_MODE_REPLAY;
}

bool hd_tsa_leads_follow(const struct hd_tsa_leads *l, struct hd_rng *rng, u64 site,
                         struct hd_shm_host *m)
{
    for (u32 try = 0; try < TRIES && l->at.n; try++) {
        const struct hd_tsa_lead *x = &l->at.at[hd_rng_below(rng, l->at.n)];
        u32 n = 0, at = 0;
        for (u32 i = 0; i < x->n_calls; i++)
            if (x->call[i].site == site && hd_rng_below(rng, ++n) == 0)
                at = i;
        if (!n)
            continue;
        u32 back = (u32)hd_rng_below(rng, BACK);
        put(x, x->call[at - HD_MIN(back, at)].step, m);
        return true;
    }
    return false;
}

void hd_tsa_leads_release(struct hd_tsa_leads *l)
{
    for (size_t i = 0; i < l->at.n; i++) {
        free(l->at.at[i].choice);
        free(l->at.at[i].call);
    }
    hd_vec_release(&l->at);
    l->bytes = 0;
}
