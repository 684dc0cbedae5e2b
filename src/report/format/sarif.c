/* sarif.c: findings as SARIF 2.1.0, what code hosts and editors import.
 *
 * One result per finding; its code flow has one thread flow per thread, with
 * executionOrder saying how they interleave. The finding's id goes into
 * partialFingerprints, so that a host recognizes it in the next run.
 */
#include "report/explain/model.h"
#include "report/explain/race.h"
#include "report/expectation.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_STEPS 200
#define MAX_FLOWS 32

static const struct { const char *kind, *text; } rules[] = {
    {"assertion", "An assertion fails under some schedule"},
    {"signal", "The program crashes under some schedule"},
    {"exit", "The program ends with an error under some schedule"},
    {"deadlock", "Threads wait for each other for ever"},
    {"lost-wakeup", "A thread waits for a signal that came too early"},
    {"hang", "The program does not end under some schedule"},
    {"livelock", "Threads react to each other for ever and none gets on"},
    {"check", "A check of the user fails under some schedule"},
    {"output", "The program prints something else under some schedule"},
    {"heap", "Heap memory is used wrongly under some schedule"},
    {"atomicity", "A thread accesses a variable between two accesses of another one that are one piece"},
    {"race", "Two threads access the same memory and nothing orders them"},
    {"misuse", "A synchronization object is used wrongly"},
    {"handler", "A signal handler does what it must not"},
    {"leak", "A thread is neither joined nor detached"},
    {"diverged", "A recorded schedule cannot be followed"},
    {"other", "A run failed"},
};

static u32 rule_of(const char *kind)
{
    u32 i = 0;
    while (i + 1 < HD_COUNT(rules) && strcmp(rules[i].kind, kind))
        i++;
    return i;
}

/* Takes "x/.." and "." out of an absolute path. */
static void normalize(char *path)
{
    char *to = path;
    for (const char *p = path; *p;) {
        while (*p == '/')
            p++;
        size_t n = strcspn(p, "/");
        if (n == 2 && !strncmp(p, "..", 2)) {
            while (to > path && *--to != '/')
                ;
        } else if (n && !(n == 1 && *p == '.')) {
            *to++ = '/';
            memmove(to, p, n);
            to += n;
        }
        p += n;
    }
    *to = 0;
}

/* Code hosts want paths relative to the repository: below the directory the
 * test was started in, else as the compiler was given them. */
static void write_uri(struct hd_json *j, const char *cwd, const struct hd_srcloc *l)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/~+@";
    char uri[3 * PATH_MAX], path[PATH_MAX], *to = uri;
    const char *file = l->file;
    size_t n = strlen(cwd);
    snprintf(path, sizeof path, "%s/%s", l->dir && file[0] != '/' ? l->dir : "", file);
    normalize(path);
    if (n > 1 && !strncmp(path, cwd, n) && path[n] == '/')
        file = path + n + 1;
    bool is_absolute = file[0] == '/';
    if (is_absolute)
        to += sprintf(to, "file://");
    for (const char *p = file; *p && to < uri + sizeof uri - 4; p++)
        if (strchr(plain, *p))
            *to++ = *p;
        else
            to += sprintf(to, "%%%02X", (u8)*p);
    *to = 0;
    hd_json_object(j, "artifactLocation");
    hd_json_str(j, "uri", uri);
    if (!is_absolute)
        hd_json_str(j, "uriBaseId", "SRCROOT");
    hd_json_end(j);
}

/* The members of a location object. */
static void write_location(struct hd_json *j, const char *cwd, const struct hd_srcloc *l,
                           const char *message)
{
    if (l->file && l->line > 0) {
        hd_json_object(j, "physicalLocation");
        write_uri(j, cwd, l);
        hd_json_object(j, "region");
        hd_json_u64(j, "startLine", (u64)l->line);
        if (l->column > 0)
            hd_json_u64(j, "startColumn", (u64)l->column);
        hd_json_end(j);
        hd_json_end(j);
    }
    hd_json_array(j, "logicalLocations");
    hd_json_object(j, NULL);
    if (l->function) {
        char function[256];
        hd_name_function(l->function, 200, function, sizeof function);
        hd_json_str(j, "fullyQualifiedName", function);
        hd_json_str(j, "kind", "function");
    } else {
        char place[400];
        snprintf(place, sizeof place, "%s+0x%llx", l->module ? l->module : "",
                 (unsigned long long)l->offset);
        hd_json_str(j, "fullyQualifiedName", place);
        hd_json_str(j, "kind", "module");
    }
    hd_json_end(j);
    hd_json_end(j);
    if (message) {
        hd_json_object(j, "message");
        hd_json_str(j, "text", message);
        hd_json_end(j);
    }
}

/* Thread flow of `tid`: its steps among the last ones, numbered over all. */
static void write_flow(struct hd_json *j, struct hd_model *st, const u32 *steps, u32 n, u16 tid)
{
    const struct hd_finding *f = st->f;
    u32 keys[80], n_keys = hd_model_keys(st, keys, 80);
    char text[300];
    hd_json_object(j, NULL);
    hd_name_thread(st, tid, text, sizeof text);
    hd_json_str(j, "id", text);
    hd_json_array(j, "locations");
    for (u32 i = 0; i < n; i++) {
        const struct hd_event *e = &f->events[steps[i]];
        struct hd_srcloc l;
        if (e->tid != tid)
            continue;
        bool is_key = false;
        for (u32 k = 0; k < n_keys; k++)
            is_key |= keys[k] == steps[i];
        hd_model_place(st, e, steps[i], &l);
        hd_name_action(st, e, text, sizeof text);
        hd_json_object(j, NULL);
        hd_json_u64(j, "executionOrder", i + 1);
        hd_json_str(j, "importance", is_key ? "essential" : "important");
        hd_json_object(j, "location");
        write_location(j, st->cwd, &l, text);
        hd_json_end(j);
        hd_json_end(j);
    }
    hd_json_end(j);
    hd_json_end(j);
}

static void write_flows(struct hd_json *j, struct hd_model *st)
{
    const struct hd_finding *f = st->f;
    u32 steps[MAX_STEPS], n = 0, keys[80], n_keys = hd_model_keys(st, keys, 80);
    u16 tids[MAX_FLOWS];
    u32 n_tids = 0, from = f->n_events, budget = MAX_STEPS - 80;
    while (from > 0 && budget)
        budget -= hd_model_is_visible(st, --from);
    for (u32 i = 0, k = 0; i < f->n_events && n < MAX_STEPS; i++) {
        bool is_key = k < n_keys && keys[k] == i;
        k += is_key;
        if (is_key || (i >= from && hd_model_is_visible(st, i)))
            steps[n++] = i;
    }
    for (u32 i = 0; i < n; i++) {
        u32 t = 0;
        while (t < n_tids && tids[t] != f->events[steps[i]].tid)
            t++;
        if (t == n_tids && n_tids < MAX_FLOWS)
            tids[n_tids++] = f->events[steps[i]].tid;
    }
    if (!n_tids)
        return;
    hd_json_array(j, "codeFlows");
    hd_json_object(j, NULL);
    hd_json_array(j, "threadFlows");
    for (u32 t = 0; t < n_tids; t++)
        write_flow(j, st, steps, n, tids[t]);
    hd_json_end(j);
    hd_json_end(j);
    hd_json_end(j);
}

static void write_stacks(struct hd_json *j, struct hd_model *st)
{
    const struct hd_finding *f = st->f;
    hd_json_array(j, "stacks");
    for (u32 i = 0; i < f->n_threads && i < MAX_FLOWS; i++) {
        struct hd_srcloc l[64];
        u32 n = hd_model_frames(st, &f->threads[i], l, 64);
        char who[48];
        if (!n)
            continue;
        hd_name_thread(st, f->threads[i].tid, who, sizeof who);
        hd_json_object(j, NULL);
        hd_json_object(j, "message");
        hd_json_str(j, "text", who);
        hd_json_end(j);
        hd_json_array(j, "frames");
        for (u32 k = 0; k < n; k++) {
            hd_json_object(j, NULL);
            hd_json_object(j, "location");
            write_location(j, st->cwd, &l[k], NULL);
            hd_json_end(j);
            hd_json_end(j);
        }
        hd_json_end(j);
        hd_json_end(j);
    }
    hd_json_end(j);
}

/* The verified order belongs to the message. */
static void add_decided(struct hd_model *st, char *title, size_t size)
{
    char *text = NULL;
    size_t len, n = strlen(title);
    FILE *to = open_memstream(&text, &len);
    HD_ASSERT(to);
    hd_sentence_decided(st, to);
    fclose(to);
    if (len)
        snprintf(title + n, size - n, " %s", text);
    free(text);
}

/* Code hosts show a result only if it has a place in a file: that of the expectation that failed,
 * that of any thread, else the program itself. */
static void find_source(struct hd_model *st, struct hd_srcloc *where, struct hd_expectation *e)
{
    const struct hd_finding *f = st->f;
    if (!(where->file && where->line > 0) && hd_expectation_find(f, e) && e->file[0] && e->line)
        *where = (struct hd_srcloc){.file = e->file, .line = (int)e->line, .function = e->test};
    for (u32 i = 0; i < f->n_threads && !(where->file && where->line > 0); i++) {
        struct hd_srcloc l;
        if (hd_model_where(st, f->threads[i].tid, &l) && l.file && l.line > 0)
            *where = l;
    }
    if (where->file && where->line > 0)
        return;
    where->file = f->program;
    where->line = 1;
    where->column = 0;
}

static void write_head(struct hd_json *j, const char *kind, const char *title)
{
    hd_json_str(j, "ruleId", rules[rule_of(kind)].kind);
    hd_json_u64(j, "ruleIndex", rule_of(kind));
    hd_json_str(j, "level", "error");
    hd_json_object(j, "message");
    hd_json_str(j, "text", title);
    hd_json_end(j);
}

static void write_result(struct hd_json *j, const struct hd_finding *f)
{
    struct hd_symbols *s = hd_symbols_open(f->modules, f->n_modules);
    struct hd_model st;
    struct hd_srcloc where;
    char title[2048], *command = NULL;
    size_t len;
    hd_model_init(&st, f, s);
    hd_report_title(f, s, title, sizeof title);
    add_decided(&st, title, sizeof title);
    hd_json_object(j, NULL);
    write_head(j, hd_finding_kind(f), title);
    hd_json_array(j, "locations");
    u16 tid = f->verdict.tid;
    if (f->verdict.kind == HD_V_DEADLOCK && f->verdict.cycle.n)
        tid = st.cycle.tid[0];
    u32 access = hd_race_is(f) ? hd_race_find(f, 0) : ~0u;
    if (access != ~0u)
        hd_model_place(&st, &f->events[access], access, &where);
    if (access == ~0u && !hd_model_where(&st, tid, &where))
        memset(&where, 0, sizeof where);
    struct hd_expectation expectation;
    find_source(&st, &where, &expectation);
    hd_json_object(j, NULL);
    write_location(j, st.cwd, &where, NULL);
    hd_json_end(j);
    hd_json_end(j);
    hd_json_object(j, "partialFingerprints");
    hd_json_str(j, "heddleFinding/v1", f->id);
    hd_json_end(j);
    write_flows(j, &st);
    write_stacks(j, &st);
    hd_json_object(j, "properties");
    if (f->dir[0]) {
        FILE *to = open_memstream(&command, &len);
        HD_ASSERT(to);
        hd_report_command(to, f);
        fclose(to);
        hd_json_str(j, "replay", command);
        free(command);
    }
    hd_json_str(j, "strategy", f->strategy);
    hd_json_u64(j, "run", f->run);
    hd_json_bool(j, "proven", f->decided.is);
    hd_json_end(j);
    hd_json_end(j);
    hd_model_release(&st);
    hd_symbols_close(s);
}

char *hd_sarif_result(const struct hd_finding *f)
{
    struct hd_json j;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    HD_ASSERT(to);
    hd_json_begin(&j, to);
    write_result(&j, f);
    fclose(to);
    return text;
}

char *hd_sarif_result_known(const char *kind, const char *id, const char *title, const char *program)
{
    struct hd_srcloc where = {.file = program, .line = 1, .module = program};
    struct hd_json j;
    char *text, *cwd = getcwd(NULL, 0);
    size_t size;
    FILE *to = open_memstream(&text, &size);
    HD_ASSERT(to);
    hd_json_begin(&j, to);
    hd_json_object(&j, NULL);
    write_head(&j, kind, title);
    hd_json_array(&j, "locations");
    hd_json_object(&j, NULL);
    write_location(&j, cwd ? cwd : "", &where, NULL);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_object(&j, "partialFingerprints");
    hd_json_str(&j, "heddleFinding/v1", id);
    hd_json_end(&j);
    hd_json_end(&j);
    fclose(to);
    free(cwd);
    return text;
}

void hd_report_sarif(FILE *to, const struct hd_finding *list, u32 n, const struct hd_tested *what)
{
    char **result = calloc((size_t)n + 1, sizeof *result);
    HD_ASSERT(result);
    for (u32 i = 0; i < n; i++)
        result[i] = hd_sarif_result(&list[i]);
    hd_sarif_results(to, result, n, what);
    for (u32 i = 0; i < n; i++)
        free(result[i]);
    free(result);
}

void hd_sarif_results(FILE *to, char *const *result, u32 n, const struct hd_tested *what)
{
    struct hd_json j;
    hd_json_begin(&j, to);
    hd_json_object(&j, NULL);
    hd_json_str(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    hd_json_str(&j, "version", "2.1.0");
    hd_json_array(&j, "runs");
    hd_json_object(&j, NULL);
    hd_json_object(&j, "tool");
    hd_json_object(&j, "driver");
    hd_json_str(&j, "name", "Heddle");
    hd_json_str(&j, "version", HD_VERSION);
    hd_json_array(&j, "rules");
    for (size_t i = 0; i < HD_COUNT(rules); i++) {
        hd_json_object(&j, NULL);
        hd_json_str(&j, "id", rules[i].kind);
        hd_json_object(&j, "shortDescription");
        hd_json_str(&j, "text", rules[i].text);
        hd_json_end(&j);
        hd_json_end(&j);
    }
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_array(&j, "invocations");
    hd_json_object(&j, NULL);
    hd_json_bool(&j, "executionSuccessful", true);
    hd_json_object(&j, "properties");
    hd_json_str(&j, "program", what ? what->program : NULL);
    hd_json_u64(&j, "runs", what ? what->runs : 0);
    hd_json_f64(&j, "seconds", what ? what->seconds : 0);
    hd_json_str(&j, "inconclusive", what ? what->skipped : NULL);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_array(&j, "results");
    for (u32 i = 0; i < n; i++)
        hd_json_raw(&j, NULL, result[i]);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_finish(&j);
}
