/* director.c: the table of directors. */
#include "plan/director.h"

static const struct {
    bool (*is_wanted)(const struct hd_director_opts *o);
    int (*direct)(struct hd_director **out, const struct hd_director_opts *o, struct hd_error *err);
} all[] = {
#define HD_DIRECTOR(name) {hd_##name##_is_wanted, hd_##name##_direct},
#include "plan/director.def"
#undef HD_DIRECTOR
};

int hd_director_open(struct hd_director **out, const struct hd_director_opts *o,
                     struct hd_error *err)
{
    u32 i = 0;
    *out = NULL;
    while (!all[i].is_wanted(o)) /* the last one always is */
        i++;
    return all[i].direct(out, o, err);
}

void hd_director_close(struct hd_director *d)
{
    if (d)
        d->close(d);
}
