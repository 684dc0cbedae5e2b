/* trust.c: before a replay: what would it run, and does the user want that? Findings made
 * here by the same user are not asked about. docs/trust.md */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/trust.h"
#include "cli/cli.h"

static void show_phase(const char *name, const struct hd_script_phase *p)
{
    for (u32 i = 0; i < p->n; i++)
        hd_cli_print("  %-9s %s", name, p->command[i].text);
}

static void show_script(const struct hd_script_input *in)
{
    const struct hd_script_file *s = in->script;
    for (size_t i = 0; i < s->env.n; i++)
        hd_cli_print("  %-9s %s", "with", s->env.at[i]);
    show_phase("setup", &s->setup);
    show_phase("ready", &s->ready.phase);
    show_phase("drive", &in->drive);
    show_phase("check", &in->check);
    show_phase("stop", &s->stop.phase);
    show_phase("teardown", &s->teardown);
}

/* Variables by which others' code gets into a process. */
static void show_environment(const struct hd_inherited *h)
{
    for (u32 i = 0; i < h->n_env; i++)
        if (h->env[i].text && (!strncmp(h->env[i].text, "LD_", 3) ||
                               !strncmp(h->env[i].text, "PATH=", 5)))
            hd_cli_print("  %-9s %.300s", "with", h->env[i].text);
    if (h->n_env)
        hd_cli_print("  %-9s %u variables of the recorded environment", "with", h->n_env);
}

static void show(const struct hd_recorded *a)
{
    char *words = hd_cli_words(a->r.argv);
    hd_cli_print("  %-9s %s", "program", a->r.program);
    hd_cli_print("  %-9s %s", "as", words ? words : "?");
    hd_cli_print("  %-9s %s", "in", a->r.cwd);
    free(words);
    show_environment(&a->r.inherited);
    if (a->around.setup)
        hd_cli_print("  %-9s %s", "setup", a->around.setup);
    if (a->around.cleanup)
        hd_cli_print("  %-9s %s", "cleanup", a->around.cleanup);
    if (a->oracle.check)
        hd_cli_print("  %-9s %s", "check", a->oracle.check);
    if (a->script.input)
        show_script(a->script.input);
}

static bool is_wanted(void)
{
    char line[16] = "";
    fprintf(stderr, "heddle: run it? [y/N] ");
    fflush(stderr);
    return fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y');
}

int hd_cli_trust(const struct hd_recorded *a)
{
    char why[128];
    if (hd_trust_is_own(&a->r, a->file, why, sizeof why))
        return 0;
    if (a->o->trust && a->o->quiet)
        return 0;
    hd_cli_print("%s is not known to be yours (%s). It runs", a->file, why);
    show(a);
    if (a->o->trust)
        return 0;
    if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && is_wanted())
        return 0;
    return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "not run: give --trust if you trust where it comes "
                       "from (docs/trust.md)");
}
