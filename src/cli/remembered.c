/* remembered.c: what the store holds about one build of one program: the one tested
 * last, unless another is named. Names that a killed campaign did not get to store
 * are looked up in the files.
 */
#include "cli/remembered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- which program, which build ------------------------------------------------------------ */

static int take_program(void *self, s64 id, const char *path, s64 at)
{
    struct hd_remembered *v = self;
    char want[PATH_MAX];
    if (v->o->n_rest && (!realpath(v->o->rest[0], want) || strcmp(want, path)) &&
        strcmp(v->o->rest[0], path))
        return 0;
    v->program_id = id;
    snprintf(v->program, sizeof v->program, "%s", path);
    return 0;
}

static int take_build(void *self, const struct hd_store_build *b)
{
    struct hd_remembered *v = self;
    char text[sizeof v->build_text];
    v->n_builds++;
    for (u32 i = 0; i < b->hash_len && i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", b->hash[i]);
    if (v->o->build ? strncmp(text, v->o->build, strlen(v->o->build)) != 0 : b->id != v->build.id)
        return 0;
    v->build = *b;
    memcpy(v->build_text, text, sizeof text);
    snprintf(v->build_path, sizeof v->build_path, "%s", b->path);
    return 0;
}

static int last_build(void *self, const struct hd_store_campaign *c)
{
    ((struct hd_remembered *)self)->build.id = c->build;
    return 0;
}

static int take_campaign(void *self, const struct hd_store_campaign *c)
{
    struct hd_remembered *v = self;
    if (c->build != v->build.id)
        return 0;
    struct hd_store_campaign *to = hd_vec_add(&v->campaigns);
    *to = *c;
    to->args = strdup(c->args);
    to->strategy = strdup(c->strategy);
    HD_ASSERT(to->args && to->strategy);
    v->last = c->id;
    v->runs += c->runs;
    return 0;
}

int hd_remembered_failed(const struct hd_remembered *v)
{
    return hd_cli_fail(HD_EXIT_FAILED, "%s", hd_store_error(v->st));
}

int hd_remembered_choose(struct hd_remembered *v)
{
    if (hd_store_programs(v->st, take_program, v))
        return hd_remembered_failed(v);
    if (!v->program_id)
        return v->o->n_rest ? hd_cli_fail(HD_EXIT_FAILED, "%s was never tested with --dir %s",
                                          v->o->rest[0], v->o->dir)
                            : hd_cli_fail(HD_EXIT_FAILED, "%s: no campaign is remembered yet: run "
                                          "heddle test first", v->o->dir);
    if (hd_store_campaigns(v->st, v->program_id, last_build, v) ||
        hd_store_builds(v->st, v->program_id, take_build, v))
        return hd_remembered_failed(v);
    if (!v->build_text[0])
        return hd_cli_fail(HD_EXIT_FAILED, "%s: no build whose id begins with '%s' was tested",
                           v->program, v->o->build ? v->o->build : "");
    return hd_store_campaigns(v->st, v->program_id, take_campaign, v) ? hd_remembered_failed(v) : 0;
}

/* ---- names --------------------------------------------------------------------------------- */

/* Texts of a site; from its file if the store has none. */
void hd_remembered_name(struct hd_remembered *v, const struct hd_store_site *s, struct hd_listed_site *out,
                      struct hd_place_names *names, bool is_function)
{
    snprintf(names->text, sizeof names->text, "%s", s->text);
    snprintf(names->function, sizeof names->function, "%s", s->function);
    snprintf(names->file, sizeof names->file, "%s", s->file);
    snprintf(names->object, sizeof names->object, "%s", s->object);
    names->line = s->line;
    names->ordinal = s->ordinal;
    if (!names->text[0]) {
        u32 module = hd_places_module(&v->places, s->hash, s->hash_len,
                                      s->build == v->build.id ? v->build_path : "");
        u32 place = hd_places_add(&v->places, module, s->offset);
        struct hd_place *at = &v->places.place.at[place];
        at->is_function |= is_function;
        hd_places_name(&v->places, at, names);
    }
    v->has_bare |= !names->line && s->build == v->build.id;
    *out = (struct hd_listed_site){names->text, names->function, names->file, names->object,
                                   names->line, names->ordinal};
}

void hd_remembered_release(struct hd_remembered *v)
{
    for (size_t i = 0; i < v->campaigns.n; i++) {
        free((char *)v->campaigns.at[i].args);
        free((char *)v->campaigns.at[i].strategy);
    }
    hd_vec_release(&v->campaigns);
    hd_places_release(&v->places);
    hd_store_close(v->st, NULL);
}
