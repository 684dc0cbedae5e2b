/* race_words.c: races in a line each, for those that are no findings (explorer.h). */
#include "campaign/race/explorer.h"
#include "cover/cover.h"

#include <stdlib.h>
#include <string.h>

#define SHORT 5  /* races listed below a failure */
#define PLACE 360

bool hd_race_sites(struct hd_explorer *x, const struct hd_race_pair *p, u64 site[2])
{
    for (u32 i = 0; i < 2; i++)
        site[i] = hd_places_pc(&x->o->cover->places, &x->w->run, p->is.site[i]);
    return site[0] && site[1];
}

void hd_explorer_place(struct hd_explorer *x, u64 pc, char *buf, size_t size)
{
    struct hd_srcloc l;
    hd_symbols_code(x->symbols, pc, true, &l, 1);
    if (l.file)
        snprintf(buf, size, "%.300s:%d", l.file, l.line);
    else
        snprintf(buf, size, "%.300s+%llx", l.module ? l.module : "?", (unsigned long long)l.offset);
}

void hd_race_variable(struct hd_explorer *x, const struct hd_race_pair *p, char *buf, size_t size)
{
    if (!p->var || !hd_symbols_data(x->symbols, p->var, buf, size, NULL))
        snprintf(buf, size, p->var ? "%llx" : "memory", (unsigned long long)p->var);
}

/* The read and the write of one `n++` are two sites of one line: one race for people. */
void hd_race_key(struct hd_explorer *x, const u64 site[2], const char *variable,
                 char key[HD_RACE_KEY])
{
    char place[2][PLACE];
    for (u32 i = 0; i < 2; i++)
        hd_explorer_place(x, site[i], place[i], sizeof place[i]);
    bool is_turned = strcmp(place[0], place[1]) > 0;
    snprintf(key, HD_RACE_KEY, "%s %s %.250s", place[is_turned], place[!is_turned], variable);
}

void hd_race_key_many(struct hd_explorer *x, const u64 *site, u32 n, char key[HD_RACE_KEY])
{
    size_t used = 0;
    for (u32 i = 0; i < n && used < HD_RACE_KEY; i++) {
        char place[PLACE];
        hd_explorer_place(x, site[i], place, sizeof place);
        used += (size_t)snprintf(key + used, HD_RACE_KEY - used, "%s%.240s", i ? " " : "", place);
    }
}

/* Was it there already? */
static bool note(struct hd_explorer *x, const struct hd_race_pair *p, const u64 site[2], bool is_done)
{
    char key[HD_RACE_KEY], variable[256];
    hd_race_variable(x, p, variable, sizeof variable);
    hd_race_key(x, site, variable, key);
    for (size_t i = 0; i < x->done.n; i++)
        if (!strcmp(x->done.at[i], key))
            return true;
    for (size_t i = 0; i < x->left.n; i++)
        if (!strcmp(x->left.at[i], key))
            return true;
    *(is_done ? hd_vec_add(&x->done) : hd_vec_add(&x->left)) = strdup(key);
    return false;
}

static void add(char ***list, u32 *n, char *text)
{
    char **grown = text ? realloc(*list, sizeof *grown * (*n + 1)) : NULL;
    if (!grown) {
        free(text);
        return;
    }
    *list = grown;
    grown[(*n)++] = text;
}

static char *line_of(struct hd_explorer *x, const struct hd_race_pair *p, const u64 site[2],
                     const char *end)
{
    char place[2][PLACE], var[256], *text;
    for (u32 k = 0; k < 2; k++)
        hd_explorer_place(x, site[k], place[k], sizeof place[k]);
    hd_race_variable(x, p, var, sizeof var);
    return asprintf(&text, "%s at %s and %s (%s)", var, place[0], place[1], end) < 0 ? NULL : text;
}

void hd_race_list_seen(struct hd_explorer *x)
{
    const struct hd_races *r = x->o->races;
    u64 site[2];
    for (size_t i = 0; i < r->pair.n; i++) {
        const struct hd_race_pair *p = &r->pair.at[i];
        if (!p->pending || !hd_race_sites(x, p, site) || hd_race_is_by_design(x, site, 2) ||
            note(x, p, site, true))
            continue;
        if (x->c->n_races_seen == SHORT)
            x->c->races_unseen++;
        else
            add(&x->c->races_seen, &x->c->n_races_seen,
                line_of(x, p, site, "heddle races says more"));
    }
}

u32 hd_race_count_seen(const struct hd_races *r, size_t from)
{
    u32 n = 0;
    for (size_t i = from; r && i < r->pair.n; i++)
        n += !hd_race_is_hidden(&r->pair.at[i]);
    return n;
}

void hd_race_list_possible(struct hd_explorer *x, const struct hd_race_pair *p, const u64 site[2])
{
    static const char *const why[] = {"nothing orders them", "runs ordered them by locks alone",
                                      "runs ordered them by locks or atomics"};
    u32 k = !hd_race_is_hidden(p) ? 0 : p->hidden[0] ? 1 : 2;
    if (note(x, p, site, false))
        return;
    x->c->races_unconfirmed++;
    add(&x->c->races_possible, &x->c->n_races_possible, line_of(x, p, site, why[k]));
}

void hd_race_list_other(struct hd_explorer *x, const char *text)
{
    for (u32 i = 0; i < x->c->n_others_possible; i++)
        if (!strcmp(x->c->others_possible[i], text))
            return;
    add(&x->c->others_possible, &x->c->n_others_possible, strdup(text));
}

static void release(char **list, u32 n)
{
    for (u32 i = 0; i < n; i++)
        free(list[i]);
    free(list);
}

void hd_races_forget(struct hd_campaign *c)
{
    release(c->races_seen, c->n_races_seen);
    release(c->races_possible, c->n_races_possible);
    release(c->others_possible, c->n_others_possible);
}
