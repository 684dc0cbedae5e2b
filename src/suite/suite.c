/* suite.c: the list of inputs; see suite.h. */
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    char *own = strdup(text);
    HD_ASSERT(own);
    return own;
}

static void free_list(char **list)
{
    for (char **p = list; p && *p; p++)
        free(*p);
    free(list);
}

static void release_input(struct hd_suite_input *in)
{
    free(in->name);
    free_list(in->argv);
    free_list(in->env);
    free(in->cwd);
    free(in->stdin_file);
    free(in->script);
    free(in->script_input);
    free(in->setup);
    free(in->cleanup);
    free(in->check);
    free(in->profile.why);
    hd_vec_release(&in->profile.pair);
    hd_vec_release(&in->profile.site);
    hd_vec_release(&in->again);
    hd_vec_release(&in->news);
    free(in->result.kind);
    free(in->result.title);
    free(in->result.text);
    for (size_t i = 0; i < in->result.sarif.n; i++)
        free(in->result.sarif.at[i]);
    hd_vec_release(&in->result.sarif);
    free(in->result.why);
    hd_race_list_release(&in->result.races);
    hd_race_list_release(&in->result.atomicity);
}

void hd_suite_init(struct hd_suite *s, const char *name)
{
    *s = (struct hd_suite){.name = copy(name)};
}

void hd_suite_release(struct hd_suite *s)
{
    for (size_t i = 0; i < s->input.n; i++)
        release_input(&s->input.at[i]);
    hd_vec_release(&s->input);
    hd_suite_programs_release(&s->programs);
    free(s->name);
    *s = (struct hd_suite){0};
}

struct hd_suite_input *hd_suite_add(struct hd_suite *s, const char *name, char *const *argv)
{
    u32 n = 0;
    for (size_t i = 0; i < s->input.n; i++)
        if (!strcmp(s->input.at[i].name, name))
            return NULL;
    while (argv[n])
        n++;
    char **own = calloc(n + 1, sizeof *own);
    HD_ASSERT(own);
    for (u32 i = 0; i < n; i++)
        own[i] = copy(argv[i]);
    struct hd_suite_input *in = hd_vec_add(&s->input);
    *in = (struct hd_suite_input){.name = copy(name), .argv = own};
    return in;
}

void hd_suite_input_env(struct hd_suite_input *in, const char *text)
{
    u32 n = 0;
    while (in->env && in->env[n])
        n++;
    in->env = realloc(in->env, (n + 2) * sizeof *in->env);
    HD_ASSERT(in->env);
    in->env[n] = copy(text);
    in->env[n + 1] = NULL;
}
