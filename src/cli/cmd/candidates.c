/* candidates.c: heddle candidates: orders of events that were predicted and not
 * tested yet, from the store. docs/cmd/candidates.md */
#include <errno.h>
#include <string.h>

#include "cli/remembered.h"

struct list {
    struct hd_remembered is;
    struct hd_json *json; /* NULL = text */
    u32 listed, exposed, failed;
};

static const char *state_text(const struct hd_store_candidate *c)
{
    switch (c->state) {
    case HD_STORE_EXPOSED: return "exposed";
    case HD_STORE_FAILED:
        return "abandoned";
    default: return c->total ? "tried" : "to be tried";
    }
}

/* Why it is not targeted (now). */
static const char *why(const struct hd_store_candidate *c)
{
    switch (c->state) {
    case HD_STORE_EXPOSED: return "a run has exposed it";
    case HD_STORE_FAILED: return "not reached in as many attempts as are allowed";
    default: return c->total ? "not reached yet" : "no attempt yet";
    }
}

static int list_one(void *self, const struct hd_store_candidate *c)
{
    struct list *l = self;
    struct hd_place_names names[HD_ELEMENT_SITES];
    u32 metric = hd_metric_find(c->what.metric, strlen(c->what.metric));
    const struct hd_options *o = l->is.o;
    if (metric != HD_METRIC_iroot || (o->idiom && o->idiom != c->what.sub))
        return 0;
    l->exposed += c->state == HD_STORE_EXPOSED;
    l->failed += c->state == HD_STORE_FAILED;
    if (c->state != HD_STORE_PREDICTED && !o->all)
        return 0;
    struct hd_listed e = {.metric = metric, .sub = c->what.sub, .n = c->what.n};
    struct hd_element as = {.metric = (u8)metric, .sub = (u8)c->what.sub, .n = (u8)c->what.n};
    for (u32 i = 0; i < e.n; i++) {
        struct hd_store_site s;
        if (hd_store_site_get(l->is.st, c->what.site[i], &s))
            return -EBADMSG;
        u32 module = hd_places_module(&l->is.places, s.hash, s.hash_len, "");
        u32 place = hd_places_add(&l->is.places, module, s.offset);
        as.site[i] = l->is.places.place.at[place].id;
        hd_remembered_name(&l->is, &s, &e.site[i], &names[i], false);
    }
    char id[16];
    hd_drive_id(&as, id);
    l->listed++;
    if (l->json) {
        hd_json_object(l->json, NULL);
        hd_json_str(l->json, "id", id);
        hd_json_str(l->json, "state", state_text(c));
        hd_json_str(l->json, "why", why(c));
        hd_json_u64(l->json, "attempts", c->total);
        hd_json_u64(l->json, "idiom", c->what.sub);
        hd_json_array(l->json, "sites");
        for (u32 i = 0; i < e.n; i++)
            hd_json_str(l->json, NULL, e.site[i].text);
        hd_json_end(l->json);
        hd_json_end(l->json);
        return 0;
    }
    printf("%s  idiom %u  %-11s %3llu attempt%s  ", id, c->what.sub, state_text(c),
           (unsigned long long)c->total, c->total == 1 ? " " : "s");
    hd_listed_print(stdout, &e);
    return 0;
}

static int list_all(struct list *l)
{
    return hd_store_candidates(l->is.st, l->is.build.id, 0, list_one, l)
               ? hd_remembered_failed(&l->is) : 0;
}

static int write_json(struct list *l)
{
    struct hd_json j;
    bool is_stdout = !strcmp(l->is.o->json, "-");
    FILE *to = is_stdout ? stdout : fopen(l->is.o->json, "we");
    if (!to)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", l->is.o->json, strerror(errno));
    l->json = &j;
    hd_json_begin(&j, to);
    hd_json_object(&j, NULL);
    hd_json_str(&j, "tool", "heddle");
    hd_json_str(&j, "version", HD_VERSION);
    hd_json_str(&j, "command", "candidates");
    hd_json_str(&j, "program", l->is.program);
    hd_json_str(&j, "build", l->is.build_text);
    hd_json_array(&j, "candidates");
    int code = list_all(l);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_finish(&j);
    bool is_bad = fflush(to) || ferror(to);
    if (((!is_stdout && fclose(to)) || is_bad) && !code)
        code = hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", l->is.o->json, strerror(errno));
    l->json = NULL;
    return code;
}

/* The program's file is another build than the one the list is about. */
static bool is_rebuilt(const struct hd_remembered *v)
{
    u8 id[32];
    char text[sizeof v->build_text] = "";
    u32 n = hd_target_build_id(v->program, id, sizeof id);
    for (u32 i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return n && strcmp(text, v->build_text);
}

static int show(struct list *l)
{
    int code = hd_remembered_choose(&l->is);
    if (code)
        return code;
    if (is_rebuilt(&l->is))
        hd_cli_print(
            "warning: %s has been built anew since; these are the candidates of build %.12s, "
            "and the next 'heddle test' begins with none",
            l->is.program, l->is.build_text);
    if (l->is.o->json)
        return write_json(l);
    code = list_all(l);
    if (!code && !l->is.o->quiet)
        hd_cli_print("%s: %u candidate%s; besides: %u exposed, %u abandoned%s", l->is.program,
                     l->listed, l->listed == 1 ? "" : "s", l->exposed, l->failed,
                     l->is.o->all ? " (in the list)" : " (--all lists them)");
    return code;
}

int hd_cmd_candidates(char **argv)
{
    struct hd_options o;
    int code;
    struct hd_error err;
    if (!hd_cli_options(&o, "candidates", HD_FOR_candidates, argv, &code))
        return code;
    struct list l = {.is.o = &o};
    if (o.n_rest > 1)
        code = hd_cli_fail(HD_EXIT_USAGE, "one program at a time, not also '%s'", o.rest[1]);
    else if (o.idiom > 6)
        code = hd_cli_fail(HD_EXIT_USAGE, "--idiom wants a number from 1 to 6");
    else if (hd_store_open(&l.is.st, o.dir, HD_STORE_READ, 0, &err))
        code = hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    else
        code = show(&l);
    hd_remembered_release(&l.is);
    hd_options_release(&o);
    return code;
}
