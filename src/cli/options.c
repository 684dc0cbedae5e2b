/* options.c: see options.h and options.def. */
#include "cli/options.h"
#include "cli/project.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum kind { FLAG, U32, U64, SECONDS, MS, TEXT, NAMES, LIST, STRATEGY, DEPTH, HELP, VERSION };

struct row {
    const char *name;
    char letter;
    const char *arg;
    enum kind kind;
    size_t offset;
    u32 commands;
    const char *doc;
};

enum { T = HD_FOR_test, R = HD_FOR_run, P = HD_FOR_replay, M = HD_FOR_minimize,
       C = HD_FOR_coverage, G = HD_FOR_merge, D = HD_FOR_candidates, E = HD_FOR_gen,
       L = HD_FOR_report, F = HD_FOR_diff, S = HD_FOR_suite,
       H = HD_FOR_history, ALL = -1 };
static const struct row rows[] = {
#define HD_OPTION(name, letter, arg, kind, member, commands, doc)                                  \
    {name, letter, arg, kind, offsetof(struct hd_options, member), commands, doc},
#include "cli/options.def"
#undef HD_OPTION
};
_Static_assert(HD_COUNT(rows) <= HD_MAX_OPTIONS, "hd_options.given has a bit for each row");

/* ---- values ------------------------------------------------------------------ */

static bool parse_u64(const char *s, u64 *out)
{
    char *end;
    if (!isdigit((u8)*s))
        return false;
    errno = 0;
    *out = strtoull(s, &end, 0);
    return !errno && !*end;
}

bool hd_parse_time(const char *text, double *seconds)
{
    static const struct { const char *unit; double factor; } units[] = {
        {"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
    char *end;
    if (!isdigit((u8)*text) && *text != '.')
        return false;
    double v = strtod(text, &end);
    for (u32 i = 0; i < HD_COUNT(units); i++)
        if (!strcmp(end, units[i].unit)) {
            *seconds = v * units[i].factor;
            return *seconds > 0 && *seconds < 1e9;
        }
    return false;
}

static int unknown_strategy(const char *name, struct hd_error *err)
{
    const char *names[64];
    u32 n = 0;
    for (const struct hd_strategy *c; n < 32 && (c = hd_strategy_at(n)); n++)
        names[n] = c->name;
    u32 first = n;
    for (const struct hd_search_method *c; n < 64 && (c = hd_search_at(n - first)); n++)
        names[n] = c->name;
    const char *near = hd_suggest(name, names, n);
    return near
               ? hd_error_set(err, -EINVAL, "unknown strategy '%s': did you mean '%s'?", name, near)
               : hd_error_set(err, -EINVAL, "unknown strategy '%s': 'heddle help test' lists them",
                              name);
}

/* A strategy (in the target) or a search (over runs, in the host). */
static int parse_strategy(struct hd_options *o, const char *text, struct hd_error *err)
{
    char name[64];
    const char *eq = strchrnul(text, '=');
    snprintf(name, sizeof name, "%.*s", (int)(eq - text), text);
    const struct hd_strategy *s = hd_strategy_find(name);
    o->search = s ? NULL : hd_search_find(name);
    if (!s && !o->search)
        return unknown_strategy(name, err);
    o->strategy = s ? s : hd_strategy_at(0); /* what a search begins with, to learn */
    const char *param_name = s ? s->param_name : o->search->param_name;
    o->strategy_param = s ? s->param_default : o->search->param_default;
    if (!*eq)
        return 0;
    if (!param_name)
        return hd_error_set(err, -EINVAL, "strategy '%s' takes no number", name);
    if (!parse_u64(eq + 1, &o->strategy_param))
        return hd_error_set(err, -EINVAL, "strategy '%s': '%s' is not a number for %s", name,
                            eq + 1, param_name);
    return 0;
}

bool hd_options_is_driven(const struct hd_options *o)
{
    bool drives = !strcmp(o->strategy->name, "active") || !strcmp(o->strategy->name, "maple");
    return !o->search && drives && strcmp(o->coverage, "none");
}

const char *hd_options_strategy(const struct hd_options *o)
{
    return o->search ? o->search->name : o->strategy->name;
}

static int parse_list(struct hd_options *o, const char *text, struct hd_error *err)
{
    const char *p = text;
    for (;;) {
        char *end;
        long v = isdigit((u8)*p) ? strtol(p, &end, 10) : -1;
        if (v < 0 || v > 255 || (*end && *end != ','))
            return hd_error_set(err, -EINVAL,
                                "--exit-ok wants numbers from 0 to 255 separated by commas, "
                                "not '%s'",
                                text);
        if (o->n_exit_ok == HD_MAX_EXIT_OK)
            return hd_error_set(err, -EINVAL, "--exit-ok takes at most %d numbers", HD_MAX_EXIT_OK);
        o->exit_ok[o->n_exit_ok++] = (int)v;
        if (!*end)
            return 0;
        p = end + 1;
    }
}

static int set_number(const struct row *r, void *at, const char *value, struct hd_error *err)
{
    u64 v = 0;
    double s = 0;
    bool is_time = r->kind == SECONDS || r->kind == MS;
    if (is_time ? !hd_parse_time(value, &s) : !parse_u64(value, &v))
        return hd_error_set(err, -EINVAL,
                            is_time ? "--%s wants a time like 30s, 2m or 500ms, not '%s'"
                                    : "--%s wants a number, not '%s'",
                            r->name, value);
    if (r->kind == U32 && v > UINT32_MAX)
        return hd_error_set(err, -EINVAL, "--%s %s is too large", r->name, value);
    if (r->kind == MS && (s > 4e6 || s < 1e-3))
        return hd_error_set(err, -EINVAL, "--%s wants between 1ms and 1000h, not '%s'", r->name,
                            value);
    if (r->kind == U32)
        *(u32 *)at = (u32)v;
    else if (r->kind == U64)
        *(u64 *)at = v;
    else if (r->kind == MS)
        *(u32 *)at = (u32)(s * 1000);
    else
        *(double *)at = s;
    return 0;
}

static int add_name(struct hd_names *to, const char *name, struct hd_error *err)
{
    if (to->is_default)
        *to = (struct hd_names){0};
    if (to->n == HD_MAX_NAMES)
        return hd_error_set(err, -EINVAL, "more than %d names", HD_MAX_NAMES);
    to->at[to->n++] = name;
    return 0;
}

static int set(struct hd_options *o, const struct row *r, const char *value, struct hd_error *err)
{
    void *at = (char *)o + r->offset;
    char pct[80];
    hd_bit_set(o->given, (u32)(r - rows));
    if (r->kind == FLAG || r->kind == HELP || r->kind == VERSION) {
        *(bool *)at = true;
        return 0;
    }
    HD_ASSERT(value);
    switch (r->kind) {
    case TEXT:
    case NAMES:
        if (!*value)
            return hd_error_set(err, -EINVAL, "--%s wants a name, not an empty text", r->name);
        if (r->kind == NAMES)
            return add_name(at, value, err);
        *(const char **)at = value;
        return 0;
    case LIST:
        return parse_list(o, value, err);
    case STRATEGY:
        return parse_strategy(o, value, err);
    case DEPTH:
        snprintf(pct, sizeof pct, "pct=%.60s", value);
        return parse_strategy(o, pct, err);
    default:
        return set_number(r, at, value, err);
    }
}

/* ---- words -------------------------------------------------------------------- */

_Static_assert(HD_COUNT(rows) <= 128, "bits of `given`");

static const struct row *find_name(const char *name, size_t n)
{
    for (u32 i = 0; i < HD_COUNT(rows); i++)
        if (strlen(rows[i].name) == n && !strncmp(rows[i].name, name, n))
            return &rows[i];
    return NULL;
}

static const struct row *find_letter(char c)
{
    for (u32 i = 0; i < HD_COUNT(rows); i++)
        if (rows[i].letter && rows[i].letter == c)
            return &rows[i];
    return NULL;
}

enum hd_option_value hd_options_takes(const char *name, u32 commands)
{
    const struct row *r = find_name(name, strlen(name));
    if (!r || !(r->commands & commands) || r->kind == HELP || r->kind == VERSION)
        return HD_OPTION_NONE;
    if (!r->arg)
        return HD_OPTION_FLAG;
    return !strcmp(r->arg, "FILE") || !strcmp(r->arg, "DIR") ? HD_OPTION_PATH : HD_OPTION_TEXT;
}

int hd_options_set(struct hd_options *o, u32 command, const char *name, const char *value,
                   struct hd_error *err)
{
    const struct row *r = find_name(name, strlen(name));
    return r && r->commands & command ? set(o, r, value, err) : 0;
}

bool hd_options_row(u32 i, struct hd_option_row *out)
{
    if (i >= HD_COUNT(rows))
        return false;
    *out = (struct hd_option_row){rows[i].name, rows[i].arg, rows[i].doc, rows[i].letter,
                                  rows[i].commands};
    return true;
}

u32 hd_options_names(const char **names, u32 n)
{
    u32 i = 0;
    for (; i < HD_COUNT(rows) && i < n; i++)
        names[i] = rows[i].name;
    return i;
}

static int unknown(u32 command, const char *word, struct hd_error *err)
{
    const char *names[HD_COUNT(rows)];
    char bare[64];
    u32 n = 0;
    for (u32 i = 0; i < HD_COUNT(rows); i++)
        if (rows[i].commands & command)
            names[n++] = rows[i].name;
    const char *start = word + strspn(word, "-");
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(start, "="), start);
    const char *near = hd_suggest(bare, names, n);
    return near ? hd_error_set(err, -EINVAL, "unknown option '%s': did you mean --%s?", word, near)
                : hd_error_set(err, -EINVAL, "unknown option '%s': --help lists them", word);
}

/* One option at words[*i]; moves *i over its argument. In the environment an
 * option of another command is passed over. */
static int take(struct hd_options *o, u32 command, char **words, int *i, bool is_env,
                struct hd_error *err)
{
    char *word = words[*i], *value = NULL;
    const struct row *r;
    if (word[0] == '-' && word[1] && word[1] != '-') {
        r = find_letter(word[1]);
        if (r && word[2])
            value = word + 2;
        if (r && value && !r->arg)
            return hd_error_set(err, -EINVAL, "unknown option '%s': write '-%c' apart", word,
                                word[1]);
    } else {
        char *name = word + HD_MIN(strspn(word, "-"), (size_t)2);
        size_t n = strcspn(name, "=");
        r = find_name(name, n);
        value = name[n] ? name + n + 1 : NULL;
    }
    if (!r || (!is_env && !(r->commands & command)))
        return unknown(command, word, err);
    if (!r->arg && value)
        return hd_error_set(err, -EINVAL, "--%s takes no value", r->name);
    if (r->arg && !value) {
        value = words[*i + 1];
        if (!value)
            return hd_error_set(err, -EINVAL, "--%s wants a value: --%s %s", r->name, r->name,
                                r->arg);
        ++*i;
    }
    return r->commands & command ? set(o, r, value, err) : 0;
}

/* Blanks separate, and so do colons before an option's name, as in TSAN_OPTIONS;
 * other colons belong to a path. */
static void separate(char *text)
{
    for (char *p = strchr(text, ':'); p; p = strchr(p + 1, ':'))
        if (find_name(p + 1, strcspn(p + 1, "=: \t\n")))
            *p = ' ';
}

static int parse_env(struct hd_options *o, u32 command, struct hd_error *err)
{
    const char *text = getenv("HEDDLE_OPTIONS");
    char *words[128], *save = NULL;
    int n = 0;
    if (!text || !*text)
        return 0;
    o->env = strdup(text);
    if (!o->env)
        return hd_error_set(err, -EINVAL, "out of memory");
    separate(o->env);
    for (char *w = strtok_r(o->env, " \t\n", &save); w && n < 127;
         w = strtok_r(NULL, " \t\n", &save))
        words[n++] = w;
    words[n] = NULL;
    for (int i = 0; i < n; i++)
        if (take(o, command, words, &i, true, err))
            return hd_error_prefix(err, -EINVAL, "HEDDLE_OPTIONS");
    return 0;
}

static void set_defaults(struct hd_options *o, u32 command)
{
    memset(o, 0, sizeof *o);
    /* A single run has learned nothing that pct could go by. */
    o->strategy = command == HD_FOR_run ? hd_strategy_at(0) : hd_strategy_find("active");
    HD_ASSERT(o->strategy);
    o->strategy_param = o->strategy->param_default;
    o->timeout_ms = 10000;
    o->jobs = 1;
    o->early = 8;
    o->context = HD_CTX_DEPTH;
    o->max_delay = 0.25;
    o->times = 1;
    o->minimize_seconds = 2;
    o->seconds = 0;
    o->dir = ".heddle";
    o->coverage = command == HD_FOR_replay || command == HD_FOR_run ? "none" : "auto";
}

static int check_step(struct hd_options *o, struct hd_error *err)
{
    if (o->until && (!parse_u64(o->until, &o->at) || !o->at))
        return hd_error_set(err, -EINVAL, "--until wants a step of the report, from 1; not '%s'",
                            o->until);
    if (o->until ? o->gdb : o->at && !o->gdb)
        return hd_error_set(err, -EINVAL, "--at STEP is for --gdb; without it, --until STEP shows "
                            "where the threads are");
    return 0;
}

static int check(struct hd_options *o, u32 command, struct hd_error *err)
{
    if (o->jobs < 1 || o->jobs > 256)
        return hd_error_set(err, -EINVAL, "--jobs wants a number from 1 to 256");
    if (o->times < 1)
        return hd_error_set(err, -EINVAL, "--times wants at least 1");
    if (o->early > 1024)
        return hd_error_set(err, -EINVAL, "--early-timeouts is a chance in 1024: 0 to 1024");
    if (!o->steps && hd_options_is_given(o, "steps"))
        return hd_error_set(err, -EINVAL, "--steps wants at least 1");
    if (hd_options_is_given(o, "runs") && !o->runs)
        return hd_error_set(err, -EINVAL, "--runs wants at least 1");
    if (command == HD_FOR_replay)
        return check_step(o, err);
    if (o->until && strcmp(o->until, "saturated"))
        return hd_error_set(err, -EINVAL, "--until knows 'saturated', not '%s'", o->until);
    if (o->until && !strcmp(o->coverage, "none"))
        return hd_error_set(err, -EINVAL,
                            "--until saturated needs coverage, which --coverage none turns off");
    if (!o->search && (o->fresh || o->learn))
        return hd_error_set(err, -EINVAL,
                            "--%s is for searches (dfs, pcb, dpor, hapset, ...), not for strategy "
                            "%s",
                            o->fresh ? "fresh" : "learn", hd_options_strategy(o));
    if (o->learn_from && (!o->search || strcmp(o->search->name, "hapset")))
        return hd_error_set(err, -EINVAL, "--learn-from is for --strategy hapset");
    if (hd_options_is_given(o, "window") && !o->window)
        return hd_error_set(err, -EINVAL, "--window wants at least 1");
    if (o->context > HD_CTX_MOST)
        return hd_error_set(err, -EINVAL, "--context wants a number from 0 to %d", HD_CTX_MOST);
    bool is_driven = hd_options_is_driven(o);
    if ((o->profile || o->candidate || o->idioms) && !is_driven)
        return hd_error_set(err, -EINVAL,
                            "--profile, --target and --idioms are for driving: leave --strategy "
                            "and --coverage none away");
    if (!o->runs && !(o->seconds > 0) && !o->until && !strcmp(hd_options_strategy(o), "tsa"))
        o->until = "saturated";
    if (!o->runs && !(o->seconds > 0) && !o->until && !is_driven && !o->gen_header && !o->gen_spec)
        o->runs = o->search ? 10000 : 1000;
    return 0;
}

int hd_options_parse(struct hd_options *o, u32 command, char **argv, struct hd_error *err)
{
    set_defaults(o, command);
    int e = hd_project_load(o, command, err);
    if (!e)
        e = parse_env(o, command, err);
    if (e)
        return e;
    o->programs.is_default = true;
    int n = 0;
    while (argv[n])
        n++;
    o->rest = calloc((size_t)n + 1, sizeof *o->rest);
    if (!o->rest)
        return hd_error_set(err, -EINVAL, "out of memory");
    bool is_open = true;
    for (int i = 0; i < n; i++) {
        if (is_open && !strcmp(argv[i], "--")) {
            is_open = false;
            o->is_split = true;
            o->n_plain = o->n_rest;
        } else if (is_open && argv[i][0] == '-' && argv[i][1]) {
            e = take(o, command, argv, &i, false, err);
            if (e)
                return e;
        } else {
            o->rest[o->n_rest++] = argv[i];
            is_open &= !(command & (HD_FOR_test | HD_FOR_run)); /* what follows a program is its own */
        }
    }
    if (is_open || !(command & (HD_FOR_replay | HD_FOR_minimize | HD_FOR_diff)))
        o->n_plain = o->n_rest;
    if (o->help || o->version)
        return 0;
    if (o->search && command == HD_FOR_run)
        return hd_error_set(err, -EINVAL,
                            "%s is a search over many runs: use it with 'heddle test'",
                            o->search->name);
    return check(o, command, err);
}

void hd_options_release(struct hd_options *o)
{
    free(o->env);
    free(o->rest);
    hd_project_release(o->project);
    o->project = NULL;
    o->env = NULL;
    o->rest = NULL;
}

bool hd_options_is_given(const struct hd_options *o, const char *name)
{
    const struct row *r = find_name(name, strlen(name));
    HD_ASSERT(r);
    return hd_bit_is_set(o->given, (u32)(r - rows));
}

/* ---- configuration ----------------------------------------------------------------- */

void hd_options_config(struct hd_options *o, struct hd_config *cfg)
{
    if (!hd_options_is_given(o, "seed")) {
        u32 word = 0; /* short enough to be typed again */
        if (getrandom(&word, sizeof word, 0) != sizeof word)
            word = (u32)time(NULL);
        o->seed = word;
    }
    struct hd_rng data = hd_rng_make(o->seed, 0, HD_RNG_DATA);
    *cfg = (struct hd_config){
        .mode = (o->no_filter ? HD_MODE_NO_FILTER : 0) |
                (o->no_misuse ? HD_MODE_NO_MISUSE : 0) | (o->no_heap ? HD_MODE_NO_HEAP : 0),
        .strategy = hd_strategy_index(o->strategy),
        .strategy_param = o->search ? o->strategy->param_default : o->strategy_param,
        .seed = o->seed,
        .step_limit = o->steps,
        .early_per_1024 = o->early,
        .context = o->context,
        .spin_limit = 16,
        .step_ns = 1000,
        .max_delay_ns = o->early ? (s64)(HD_MIN(o->max_delay, 1e9) * 1e9) : 0,
        /* Midnight: the same campaign gives the same runs all day, and dates
         * are still plausible to the program. */
        .epoch_ns = (s64)(time(NULL) / 86400) * 86400 * 1000000000,
        .data_seed = hd_rng_next(&data),
        .patience_ms = 20,
        .cpu = o->no_pin ? -1 : 0,
    };
}
