/* script.c: heddle test --script: each input of the file is a campaign of its own.
 * docs/script.md */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"
#include "process/interrupt.h"
#include "cli/cli.h"

/* ---- options in the file --------------------------------------------------------------- */

static char *option_word(const struct hd_script_option *p)
{
    char *word;
    HD_ASSERT(asprintf(&word, "--%s%s%s", p->name, p->value ? "=" : "", p->value ? p->value : "") >
              0);
    return word;
}

/* Each by itself, so that a mistake has a line. */
static int check_option(const struct hd_script_file *s, const struct hd_script_option *p,
                        char *word)
{
    static const char *const not [] = {"script", "help", "version"};
    struct hd_options o;
    struct hd_error err;
    char *argv[] = {word, NULL};
    for (u32 i = 0; i < HD_COUNT(not ); i++)
        if (!strcmp(p->name, not [i]))
            return hd_cli_fail(HD_EXIT_USAGE, "%s:%u: [options] cannot hold %s", s->path, p->line,
                               p->name);
    int e = hd_options_parse(&o, HD_FOR_test, argv, &err);
    hd_options_release(&o);
    return e ? hd_cli_fail(HD_EXIT_USAGE, "%s:%u: %s", s->path, p->line, err.text) : 0;
}

/* The options anew: those of the file, then the command line, which wins. The
 * words must live as long as *o. */
static int merge_options(struct hd_script_file *s, struct hd_options *o, char **argv)
{
    u32 n = 0, k = 0;
    int code = 0;
    while (argv[n])
        n++;
    char **all = hd_script_alloc(s, (n + s->option.n + 1) * sizeof *all);
    for (size_t i = 0; !code && i < s->option.n; i++) {
        char *word = option_word(&s->option.at[i]);
        size_t size = strlen(word) + 1;
        all[k] = hd_script_alloc(s, size);
        memcpy(all[k++], word, size);
        code = check_option(s, &s->option.at[i], word);
        free(word);
    }
    if (code)
        return code;
    memcpy(all + k, argv, (n + 1) * sizeof *all);
    hd_options_release(o);
    return hd_cli_options(o, "test", HD_FOR_test, all, &code) ? 0 : code;
}

/* ---- one input ----------------------------------------------------------------------------- */

/* "r.json" becomes "r.NAME.json" if there are several inputs. */
static const char *file_of(struct hd_script_file *s, const char *file, const char *name,
                           bool is_one)
{
    if (!file || is_one || !strcmp(file, "-"))
        return file;
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    size_t n = strlen(file) + strlen(name) + 2;
    char *to = hd_script_alloc(s, n);
    if (!dot)
        dot = file + strlen(file);
    snprintf(to, n, "%.*s.%s%s", (int)(dot - file), file, name, dot);
    return to;
}

int hd_cli_scripted(struct hd_options *own, const struct hd_script_file *s,
                    const struct hd_script_input *in, const char *command,
                    int (*test)(struct hd_options *, const char *))
{
    char label[256];
    size_t n = in->argv.n;
    own->rest = calloc(n + 2, sizeof *own->rest);
    HD_ASSERT(own->rest);
    /* What the store knows the input by: no port that is another one tomorrow. */
    own->rest[0] = s->program;
    for (size_t i = 1; i < n; i++)
        own->rest[i] = (char *)in->argv.at[i];
    snprintf(label, sizeof label, "input=%s", in->name);
    own->rest[n] = label;
    own->n_rest = (int)n + 1;
    own->scripted = in;
    if (!hd_options_is_given(own, "timeout"))
        own->timeout_ms = HD_MAX(own->timeout_ms, hd_script_longest_ms(in));
    int code = test(own, command);
    free(own->rest);
    return code;
}

static int test_input(struct hd_script_file *s, const struct hd_script_input *in,
                      const struct hd_options *o, bool is_one, const char *command,
                      int (*test)(struct hd_options *, const char *))
{
    struct hd_options own = *o;
    own.json = file_of(s, o->json, in->name, is_one);
    own.sarif = file_of(s, o->sarif, in->name, is_one);
    own.junit = file_of(s, o->junit, in->name, is_one);
    if (!o->quiet && !is_one)
        hd_cli_print("input %s:", in->name);
    return hd_cli_scripted(&own, s, in, command, test);
}

int hd_cli_script_stdin(const struct hd_options *o)
{
    struct hd_error err;
    int fd = hd_script_stdin(o->scripted, &err);
    if (fd < -1)
        hd_cli_print("warning: %s: the program gets an empty input", err.text);
    return HD_MAX(fd, -1);
}

/* ---- all of them ------------------------------------------------------------------------------
 */

static bool is_chosen(const struct hd_options *o, const char *name)
{
    for (int i = 0; i < o->n_rest; i++)
        if (!strcmp(o->rest[i], name))
            return true;
    return !o->n_rest;
}

static int check_names(const struct hd_script_file *s, const struct hd_options *o)
{
    char list[512] = "";
    for (size_t i = 0; i < s->input.n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 s->input.at[i].name);
    for (int i = 0; i < o->n_rest; i++)
        if (!hd_script_find(s, o->rest[i]))
            return hd_cli_fail(HD_EXIT_USAGE,
                               "%s has no input '%s', but %s (the program to test "
                               "is named in the script)",
                               s->path, o->rest[i], list);
    return 0;
}

/* Finding, failure, inconclusive, nothing: the first of these that is among them. */
static int worse(int a, int b)
{
    return a == HD_EXIT_FINDING || b == HD_EXIT_FINDING ? HD_EXIT_FINDING : HD_MAX(a, b);
}

static int test_all(struct hd_script_file *s, struct hd_options *o, const char *command,
                    int (*test)(struct hd_options *, const char *))
{
    struct hd_target target;
    struct hd_error err;
    u32 n = 0;
    if (hd_target_open(&target, s->program, &err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s:%u: %s", s->path, s->program_line, err.text);
    s->exit_ok = o->exit_ok;
    s->n_exit_ok = o->n_exit_ok;
    for (size_t i = 0; i < s->input.n; i++)
        n += is_chosen(o, s->input.at[i].name);
    int code = 0;
    for (size_t i = 0; i < s->input.n; i++) {
        const struct hd_script_input *in = &s->input.at[i];
        if (!is_chosen(o, in->name))
            continue;
        code = worse(code, test_input(s, in, o, n == 1, command, test));
        if (hd_interrupt_count() || (code && !o->keep_going))
            break;
    }
    return code;
}

int hd_cli_script(struct hd_options *o, char **argv, const char *command,
                  int (*test)(struct hd_options *, const char *))
{
    struct hd_script_file s;
    struct hd_error err;
    int code = 0;
    if (hd_script_load(&s, o->script, NULL, &err))
        code = hd_cli_fail(HD_EXIT_USAGE, "%s", err.text);
    if (!code && s.option.n)
        code = merge_options(&s, o, argv);
    if (!code)
        code = check_names(&s, o);
    if (!code)
        code = test_all(&s, o, command, test);
    hd_options_release(o); /* its texts may be the script's */
    hd_script_release(&s);
    return code;
}
