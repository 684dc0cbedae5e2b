/* race_memory.c: which races runs were driven into, from the store and to it: sites of the store
 * become identities. */
#include "cover/cover.h"

#include <string.h>

struct loading {
    struct hd_cover *c;
    void (*fn)(void *self, const struct hd_cover_race *r);
    void *self;
};

static int load(void *self, const struct hd_store_race *is)
{
    struct loading *l = self;
    struct hd_cover_race r = {.is = *is};
    for (u32 i = 0; i < HD_STORE_SITES && is->site[i]; i++)
        if (!(r.site[i] = hd_cover_store_identity(l->c->store, &l->c->places, is->site[i])))
            return 0;
    l->fn(l->self, &r);
    return 0;
}

void hd_cover_store_races(struct hd_cover *c, void (*fn)(void *self, const struct hd_cover_race *r),
                          void *self)
{
    struct loading l = {c, fn, self};
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_races(c->store, c->build, c->input, load, &l));
}

void hd_cover_store_race_tried(struct hd_cover *c, const struct hd_cover_race *r)
{
    struct hd_store_race is = r->is;
    for (u32 i = 0; i < HD_STORE_SITES; i++) {
        is.site[i] = c->store && r->site[i] ? hd_cover_store_row(c, r->site[i]) : 0;
        if (!hd_cover_store_is_fine(c, is.site[i]))
            return;
    }
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_race_tried(c->store, c->build, c->input, &is));
}
