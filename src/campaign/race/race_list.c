/* race_list.c: what the runs of a campaign said could race, or come between two accesses, as
 * texts: to be compared between inputs (races.h). */
#include "campaign/race/races.h"

#include <stdlib.h>
#include <string.h>

#include "cover/cover.h"

/* Appends the place of a site; false: it has none. */
static bool put_site(struct hd_places *p, u64 site, char *to, size_t size)
{
    struct hd_place_names names;
    const struct hd_place *at = hd_places_get(p, site);
    if (!at)
        return false;
    hd_places_name(p, at, &names);
    size_t n = strlen(to);
    snprintf(to + n, size - n, "%s%s", n ? " " : "", names.text);
    return true;
}

static void add(struct hd_race_list *l, struct hd_places *p, const u64 *site, u32 n)
{
    char text[2048] = "";
    for (u32 i = 0; i < n; i++)
        if (!put_site(p, site[i], text, sizeof text))
            return;
    char *own = strdup(text);
    HD_ASSERT(own);
    *hd_vec_add(&l->v) = own;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void sort_once(struct hd_race_list *l)
{
    size_t n = 0;
    if (!l->v.n)
        return;
    qsort(l->v.at, l->v.n, sizeof *l->v.at, compare);
    for (size_t i = 0; i < l->v.n; i++)
        if (n && !strcmp(l->v.at[n - 1], l->v.at[i]))
            free(l->v.at[i]);
        else
            l->v.at[n++] = l->v.at[i];
    l->v.n = n;
}

void hd_race_list(struct hd_race_list *l, const struct hd_races *r, struct hd_places *p)
{
    for (size_t i = 0; i < r->pair.n; i++) {
        const u64 *s = r->pair.at[i].is.site;
        add(l, p, (u64[]){HD_MIN(s[0], s[1]), HD_MAX(s[0], s[1])}, 2);
    }
    sort_once(l);
}

void hd_atomicity_list(struct hd_race_list *l, const struct hd_races *r, struct hd_places *p)
{
    for (size_t i = 0; i < r->triples.all.n; i++) {
        const struct hd_race_seen *s = &r->triples.all.at[i].is;
        add(l, p, (u64[]){s->site[0], s->site[1], s->third}, 3);
    }
    sort_once(l);
}

void hd_race_list_release(struct hd_race_list *l)
{
    for (size_t i = 0; i < l->v.n; i++)
        free(l->v.at[i]);
    hd_vec_release(&l->v);
}
