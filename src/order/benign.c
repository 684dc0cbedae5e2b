/* benign.c: see benign.h. */
#include "order/benign.h"

#define MOST 1024 /* places that are kept */

/* Of no bytes: no longer. */
static void note(struct hd_benign *b, const struct hd_event *e)
{
    for (size_t i = b->place.n; i-- > 0;)
        if (b->place.at[i].obj == e->obj && (!e->arg || b->place.at[i].arg == e->arg))
            b->place.at[i] = b->place.at[--b->place.n];
    if (e->arg && b->place.n < MOST)
        *hd_vec_add(&b->place) = *e;
}

void hd_benign_event(struct hd_benign *b, const struct hd_event *e)
{
    if (HD_UNLIKELY(e->kind == HD_EV_BENIGN))
        note(b, e);
}

bool hd_benign_has(const struct hd_benign *b, const struct hd_event *access)
{
    for (size_t i = 0; i < b->place.n; i++) {
        const struct hd_event *at = &b->place.at[i];
        if (access->obj < at->obj + at->arg && at->obj < access->obj + hd_event_bytes(access))
            return true;
    }
    return false;
}

void hd_benign_clear(struct hd_benign *b) { hd_vec_clear(&b->place); }
void hd_benign_release(struct hd_benign *b) { hd_vec_release(&b->place); }
