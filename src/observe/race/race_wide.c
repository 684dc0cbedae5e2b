/* race_wide.c: see race_wide.h. */
#include "observe/race/race_wide.h"

#define LOOKS 512 /* objects of one access that are looked at */

void hd_race_wide_begin(struct hd_race_wide *w) { w->n = w->oldest = w->turn = 0; }

static bool overlaps(const struct hd_wide *a, u64 addr, u64 bytes)
{
    return a->addr < addr + bytes && addr < a->addr + a->bytes;
}

/* A thread's latest access of a site to a place stands for those before. */
void hd_race_wide_add(struct hd_race_wide *w, const struct hd_seen *s)
{
    struct hd_wide is = {.addr = s->ev->obj + HD_FEED_WIDE, .bytes = hd_race_wide_rest(s->ev), .tid = s->tid,
                         .is_write = s->what != HD_DOES_READ,
                         .touch = {s->now, s->time, s->site, s->ev->ctx}};
    for (u32 i = 0; i < w->n; i++)
        if (w->at[i].tid == is.tid && w->at[i].touch.site == is.touch.site && w->at[i].addr == is.addr &&
            w->at[i].bytes <= is.bytes) {
            w->at[i] = is;
            return;
        }
    if (w->n < HD_RACE_WIDES)
        w->at[w->n++] = is;
    else
        w->at[w->oldest++ % HD_RACE_WIDES] = is;
}

void hd_race_wide_forget(struct hd_race_wide *w, u64 addr, u64 bytes)
{
    for (u32 i = w->n; i-- > 0;)
        if (overlaps(&w->at[i], addr, HD_MAX(bytes, (u64)1)))
            w->at[i] = w->at[--w->n];
}

const struct hd_wide *hd_race_wide_next(const struct hd_race_wide *w, const struct hd_event *e, bool is_write,
                                        u32 *i)
{
    while (*i < w->n) {
        const struct hd_wide *is = &w->at[(*i)++];
        if (is->tid != e->tid && (is_write || is->is_write) && overlaps(is, e->obj, hd_event_bytes(e)))
            return is;
    }
    return NULL;
}

/* Those of a page as far as they lie in [from, to]; how many. */
static u32 page_objects(const struct hd_feed *f, u64 number, u64 from, u64 to,
                        void (*each)(void *self, u32 obj), void *self)
{
    u32 page = hd_feed_find_page(f, number), n = 0;
    for (u32 i = 0; page && i < HD_FEED_PAGE; i++) {
        u64 granule = number * HD_FEED_PAGE + i;
        if (granule < from || granule > to)
            continue;
        for (u32 id = f->page[page].first[i]; id; id = f->object[id].next)
            if (!f->object[id].is_sync) {
                each(self, id);
                n++;
            }
    }
    return n;
}

void hd_race_wide_objects(struct hd_race_wide *w, const struct hd_feed *f, const struct hd_event *e,
                          void (*each)(void *self, u32 obj), void *self)
{
    u64 from = (e->obj + HD_FEED_WIDE + 7) >> 3, to = (e->obj + hd_event_bytes(e) - 1) >> 3;
    if (from > to)
        return;
    u64 low = from / HD_FEED_PAGE, pages = to / HD_FEED_PAGE - low + 1;
    u32 looked = 0;
    for (u64 i = 0; i < pages && looked < LOOKS; i++)
        looked += page_objects(f, low + (w->turn + i) % pages, from, to, each, self);
    w->turn += looked >= LOOKS;
}
