/* places.c: see places.h. A call is described by its function, the text of its source
 * line (without comments and white space) and its ordinal on it (symbol/site.c): none of these changes
 * when lines are added elsewhere. Of several that fit, the one nearest to the old line is taken. */
#include "campaign/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbol/line.h"

#define MAX_PLACES 4000

static u32 ordinal_of(struct hd_symbols *s, u64 pc)
{
    char text[4096];
    hd_symbols_site(s, pc, text, sizeof text);
    const char *mark = strrchr(text, '#');
    return mark ? (u32)strtoul(mark + 1, NULL, 10) : 0;
}

static const struct hd_module *module_of(const struct hd_replay *r, u32 index,
                                         const struct hd_module *modules, u32 n)
{
    for (u32 i = 0; index < r->n_modules && i < n; i++)
        if (!strcmp(modules[i].path, r->modules[index].path))
            return &modules[i];
    return NULL;
}

/* ---- describe --------------------------------------------------------------------- */

static void note(struct hd_replay *r, u64 site, const struct hd_module *modules, u32 n,
                 struct hd_symbols *s, struct hd_map *seen)
{
    struct hd_srcloc l;
    char function[HD_REPLAY_TEXT / 4], text[HD_REPLAY_TEXT / 4];
    if (site == HD_REPLAY_NO_SITE || HD_REPLAY_MODULE(site) == HD_REPLAY_NO_MODULE ||
        r->n_places >= MAX_PLACES || !hd_map_put(seen, site, 1))
        return;
    const struct hd_module *m = module_of(r, HD_REPLAY_MODULE(site), modules, n);
    if (!m)
        return;
    u64 pc = m->bias + HD_REPLAY_OFFSET(site);
    hd_symbols_code(s, pc, true, &l, 1);
    if (!l.function || !l.line)
        return;
    const char *line = hd_symbols_source(s, &l);
    snprintf(function, sizeof function, "%s", l.function);
    snprintf(text, sizeof text, "%s", line ? line : "");
    hd_replay_add_place(r, site, (u32)l.line, ordinal_of(s, pc), function, text);
}

void hd_places_note(struct hd_replay *r, const struct hd_module *modules, u32 n_modules,
                    struct hd_symbols *s)
{
    struct hd_map seen = {0};
    for (u32 i = 0; i < r->n_places; i++)
        hd_map_put(&seen, r->places[i].site, 1);
    for (u32 i = 0; i < r->n_sites; i++)
        note(r, (u64)r->sites[i].module << 48 | r->sites[i].offset, modules, n_modules, s, &seen);
    for (u32 i = 0; i < r->n; i++)
        note(r, r->site[i], modules, n_modules, s, &seen);
    hd_map_release(&seen);
}

/* ---- find again ------------------------------------------------------------------- */

struct call {
    u64 pc;
    struct hd_srcloc at;
};
struct calls {
    HD_VEC(struct call) v;
};

static void take_call(void *self, u64 pc, const struct hd_srcloc *at)
{
    struct calls *c = self;
    if (at->function && at->line)
        *hd_vec_add(&c->v) = (struct call){pc, *at};
}

static bool fits(struct hd_symbols *s, const struct call *c, const struct hd_replay_place *p)
{
    if (strncmp(c->at.function, p->function, HD_REPLAY_TEXT / 4 - 1))
        return false;
    const char *text = p->text[0] ? hd_symbols_source(s, &c->at) : NULL;
    if (text ? !hd_line_is_same(text, p->text, HD_REPLAY_TEXT / 4 - 1) : c->at.line != (int)p->line)
        return false;
    return ordinal_of(s, c->pc) == p->ordinal;
}

/* Offset in its module, ~0 if it is not there. */
static u64 locate(struct hd_symbols *s, const struct calls *c, const struct hd_module *m,
                  const struct hd_replay_place *p)
{
    u64 best = ~(u64)0;
    int far = INT32_MAX;
    for (size_t i = 0; i < c->v.n; i++) {
        const struct call *k = &c->v.at[i];
        int d = abs(k->at.line - (int)p->line);
        if (k->pc >= m->start && k->pc < m->end && d < far && fits(s, k, p)) {
            far = d;
            best = k->pc - m->bias;
        }
    }
    return best;
}

static void move_sites(struct hd_replay *r, const struct hd_map *to)
{
    u32 kept = 0;
    for (u32 i = 0; i < r->n_sites; i++) {
        struct hd_replay_site site = r->sites[i];
        u64 packed = hd_map_get_or(to, (u64)site.module << 48 | site.offset, 0);
        if (!packed)
            continue;
        site.offset = HD_REPLAY_OFFSET(packed);
        r->sites[kept++] = site;
    }
    r->n_sites = kept;
    for (u32 i = 0; i < r->n; i++)
        if (r->site[i] != HD_REPLAY_NO_SITE)
            r->site[i] = hd_map_get_or(to, r->site[i], HD_REPLAY_NO_SITE);
}

bool hd_places_move(struct hd_replay *r, const struct hd_module *modules, u32 n_modules,
                    struct hd_symbols *s, u32 *found, u32 *all)
{
    struct hd_map to = {0};
    *found = 0;
    *all = r->n_places;
    for (u32 i = 0; i < r->n_modules; i++) {
        struct calls c = {0};
        const struct hd_module *m = module_of(r, i, modules, n_modules);
        for (u32 k = 0; k < r->n_places && m; k++) {
            const struct hd_replay_place *p = &r->places[k];
            if (HD_REPLAY_MODULE(p->site) != i)
                continue;
            if (!c.v.n)
                hd_symbols_calls(s, m->start, take_call, &c);
            u64 offset = locate(s, &c, m, p);
            if (offset != ~(u64)0) {
                hd_map_put(&to, p->site, (u64)i << 48 | offset);
                ++*found;
            }
        }
        hd_vec_release(&c.v);
    }
    if (r->n_places)
        move_sites(r, &to);
    hd_map_release(&to);
    return r->n_places;
}
