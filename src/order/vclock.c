/* vclock.c: see vclock.h. */
#include "order/vclock.h"

#include <stdlib.h>
#include <string.h>

void hd_vclock_release(struct hd_vclock *c)
{
    free(c->at);
    *c = (struct hd_vclock){0};
}

void hd_vclock_widen(struct hd_vclock *c, u32 n)
{
    if (n > c->cap) {
        c->cap = HD_MAX(n, HD_MAX(8u, c->cap * 2));
        c->at = realloc(c->at, c->cap * sizeof *c->at);
        HD_ASSERT(c->at);
    }
    if (n > c->n) {
        memset(c->at + c->n, 0, (n - c->n) * sizeof *c->at);
        c->n = n;
    }
}

void hd_vclock_join(struct hd_vclock *to, const struct hd_vclock *from)
{
    if (!from->n)
        return;
    hd_vclock_widen(to, from->n);
    hd_vclock_join_row(to->at, from->at, from->n);
}

void hd_vclock_meet(struct hd_vclock *to, const struct hd_vclock *with)
{
    for (u32 i = 0; i < to->n; i++)
        to->at[i] = HD_MIN(to->at[i], hd_vclock_at(with, i));
}
