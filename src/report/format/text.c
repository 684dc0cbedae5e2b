/* text.c: the report a person reads, for somebody who does not know this tool.
 * In this order: what happened, evidence, the order of the last steps, commands
 * to paste, limits of what was tried.
 */
#include "report/clean.h"
#include "report/explain/model.h"
#include "report/explain/race.h"
#include "report/suppress.h"
#include "text/shell.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define DEFAULT_STEPS 24
#define MAX_SOURCE_LINES 14
#define OUTPUT_LINES 5
#define MAX_LABELS 8

static void heading(FILE *to, const struct hd_paint *p, const char *text)
{
    fputc('\n', to);
    hd_paint_on(to, p, HD_BOLD);
    hd_paint_wrap(to, p, text, 0, 2);
    hd_paint_off(to, p);
}

/* What the letters given since the last call stand for. */
static void print_labels(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    u32 end = HD_MIN(st->n_labels, st->n_explained + MAX_LABELS);
    for (u32 i = st->n_explained; i < end; i++) {
        char text[700];
        hd_name_label(st, i, text, sizeof text);
        hd_paint_line(to, p, "%s.", text);
    }
    if (end + 1 == st->n_labels)
        hd_paint_line(to, p, "%c is one more object without a name.", 'A' + (char)end);
    else if (end < st->n_labels)
        hd_paint_line(to, p, "%c to %c are %u more objects without a name.", 'A' + (char)end,
             'A' + (char)(st->n_labels - 1), st->n_labels - end);
    st->n_explained = st->n_labels;
}

/* ---- evidence ------------------------------------------------------------------------- */

static void print_cycle(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    const struct hd_cycle *c = &st->cycle;
    hd_paint_line(to, p, c->is_cycle && c->n == 1 ? "The thread waits for itself:"
                : c->is_cycle             ? "The threads wait for each other in a circle:"
                : c->n == 1               ? "Nobody is left who could wake this thread:"
                                          : "Nobody is left who could wake these threads:");
    for (u32 i = 0; i < c->n; i++) {
        const struct hd_finding_thread *t = hd_model_thread(st, c->tid[i]);
        char who[48], wait[320], place[320], other[48], held[800] = "";
        struct hd_srcloc l;
        hd_name_thread(st, c->tid[i], who, sizeof who);
        hd_name_thread(st, c->tid[(i + 1) % c->n], other, sizeof other);
        if (t)
            hd_name_thread_wait(st, t, c->obj[i], wait, sizeof wait);
        else
            hd_name_wait(st, HD_EV_LOCK, c->obj[i], wait, sizeof wait);
        if (c->is_cycle) {
            u64 wanted = c->obj[(i + c->n - 1) % c->n];
            const struct hd_held *h = hd_held_find(&st->held, wanted, c->tid[i]);
            char name[320];
            if (h) {
                hd_name_quoted(st, st->f->events[h->event].kind, wanted, name, sizeof name);
                hd_name_event(st, h->event, false, place, sizeof place);
                snprintf(held, sizeof held, "holds %s (taken at %s) and ", name, place);
            }
        }
        bool is_join = t && t->op_kind == HD_EV_JOIN;
        bool is_once = t && t->op_kind == HD_EV_ONCE_BEGIN;
        place[0] = 0;
        if (hd_model_where(st, c->tid[i], &l))
            hd_name_place(st, &l, false, place, sizeof place);
        char text[2048];
        snprintf(text, sizeof text, "%s %s%s%s%s%s%s.", who, held, wait, place[0] ? " at " : "", place,
                 hd_cycle_is_behind(st, i) ? ", where a writer that waits goes first: "
                 : c->is_cycle && !is_join ? is_once ? ", which is up to " : ", which is held by " : "",
                 !c->is_cycle || is_join ? "" : c->n == 1 ? "itself" : other);
        hd_paint_wrap(to, p, text, 4, 6);
        if (i == 15 && c->n > 16) {
            hd_paint_line(to, p, "  ... and %u more threads.", c->n - 16);
            break;
        }
    }
}

static void print_heap(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    const struct hd_heap_report *h = &st->f->verdict.heap;
    struct { const char *what; const struct hd_heap_place *place; } part[] = {
        {"allocated", &h->alloc}, {"freed", &h->freed},
    };
    for (size_t i = 0; i < HD_COUNT(part); i++) {
        char who[48];
        if (!part[i].place->n)
            continue;
        struct hd_finding_thread t = {.tid = HD_NO_THREAD, .n_frames = part[i].place->n,
                                      .frames = (u64 *)part[i].place->pc};
        hd_name_thread(st, part[i].place->tid, who, sizeof who);
        hd_paint_line(to, p, "The block was %s by %s:", part[i].what, who);
        hd_stacks_frames(to, st, &t, p);
    }
}

/* A line of the program's, whole: its end may be what tells where. */
static void print_piece(FILE *to, const char *text, size_t n, size_t width)
{
    char raw[2048], cut[2048];
    size_t at = 0, len;
    snprintf(raw, sizeof raw, "%.*s", (int)HD_MIN(n, sizeof raw - 1), text);
    len = strlen(raw);
    do {
        size_t room = len - at;
        if (room > width)
            for (room = width; room > 1 && ((u8)raw[at + room] & 0xc0) == 0x80;)
                room--; /* not in the middle of a character */
        char keep = raw[at + room];
        raw[at + room] = 0;
        hd_paint_cut(cut, sizeof cut, raw + at, sizeof cut);
        fprintf(to, "    %c %s\n", at ? ':' : '|', cut);
        raw[at + room] = keep;
        at += room;
    } while (at < len);
}

static void print_output(FILE *to, const char *name, const char *text, size_t len,
                         const char *known, const struct hd_paint *p)
{
    if (!text || !len)
        return;
    const char *end = text + len;
    while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    if ((size_t)(end - text) == strlen(known) && !memcmp(text, known, (size_t)(end - text)))
        return; /* told already */
    const char *from = end;
    for (int n = 0; from > text; from--)
        if (from[-1] == '\n' && ++n == OUTPUT_LINES)
            break;
    if (from == end)
        return;
    hd_paint_line(to, p, "The %sprogram wrote to %s:", from > text ? "last lines the " : "", name);
    while (from < end) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        size_t n = (size_t)((stop ? stop : end) - from);
        print_piece(to, from, n, (size_t)HD_MAX(p->width - 6, 20));
        from += n + 1;
    }
}

static void print_evidence(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    const struct hd_verdict *v = &st->f->verdict;
    heading(to, p, "Evidence");
    print_labels(to, st, p); /* those of the sentence */
    if (hd_race_is(st->f)) {
        hd_race_print(to, st, p);
        print_labels(to, st, p);
        return;
    }
    if (st->f->race.class == HD_RACE_FAILS) {
        hd_paint_line(to, p, st->f->race.step[3]   ? "It comes from accesses between two of another thread:"
                             : st->f->race.step[2] ? "It comes from an access between two of another thread:"
                                                 : "It comes from a race, which was driven into both orders:");
        hd_race_print(to, st, p);
    }
    switch (v->kind) {
    case HD_V_ASSERT: case HD_V_CHECK:
        if (v->msg[0])
            hd_paint_line(to, p, "%s", v->msg);
        break;
    case HD_V_SIGNAL:
        if (v->msg[0]) {
            hd_paint_line(to, p, "Signal %d (%s, %s), %s.", v->signo, hd_name_signal(v->signo),
                 strsignal(v->signo), v->msg);
            break;
        }
        if (hd_model_has_address(v))
            hd_paint_line(to, p, "Signal %d (%s, %s), fault address %#llx.", v->signo,
                 hd_name_signal(v->signo), strsignal(v->signo), (unsigned long long)v->addr);
        else
            hd_paint_line(to, p, "Signal %d (%s, %s).", v->signo, hd_name_signal(v->signo),
                 strsignal(v->signo));
        break;
    case HD_V_EXIT:
        if (WIFEXITED(v->status))
            hd_paint_line(to, p, "Exit status %d.", WEXITSTATUS(v->status));
        break;
    case HD_V_DEADLOCK:
        if (v->cycle.n)
            print_cycle(to, st, p);
        break;
    case HD_V_HEAP:
        print_heap(to, st, p);
        break;
    case HD_V_HANG:
        if (v->msg[0])
            hd_paint_line(to, p, "Proven by the program's state, all its memory included: %s.", v->msg);
        hd_paint_line(to, p, "%llu steps were done, %llu of them with a choice, in %.3f s of the program's own "
             "time.",
             (unsigned long long)st->f->stats.steps, (unsigned long long)st->f->stats.points,
             (double)st->f->stats.vtime_ns / 1e9);
        break;
    default:
        break;
    }
    hd_stacks_print(to, st, p);
    print_output(to, "stdout", st->f->out, st->f->out_len, v->msg, p);
    print_output(to, "stderr", st->f->err, st->f->err_len, v->msg, p);
}

/* ---- order --------------------------------------------------------------------------------- */

/* The source text of the places in the table, each once. */
static void print_sources(FILE *to, struct hd_model *st, const struct hd_rows *r,
                          const struct hd_paint *p)
{
    u32 printed = 0;
    char seen[MAX_SOURCE_LINES][128];
    for (int pass = 0; pass < 2; pass++) /* lines of key steps first */
        for (u32 i = 0; i < r->v.n && printed < MAX_SOURCE_LINES; i++) {
            struct hd_srcloc l;
            char place[128], cut[256];
            if (r->v.at[i].kind != HD_ROW_STEP || r->v.at[i].is_key != (pass == 0))
                continue;
            hd_model_place(st, &st->f->events[r->v.at[i].event], r->v.at[i].event, &l);
            const char *text = hd_symbols_source(st->s, &l);
            hd_name_place(st, &l, true, place, sizeof place);
            u32 k = 0;
            while (k < printed && strcmp(seen[k], place))
                k++;
            if (!text || k < printed || !hd_model_is_users(&l))
                continue;
            if (!printed)
                fputc('\n', to);
            memcpy(seen[printed++], place, sizeof place);
            int used = fprintf(to, "  %-14s ", place);
            hd_paint_cut(cut, sizeof cut, text, (size_t)HD_MAX(p->width - used, 4));
            fprintf(to, "%s\n", cut);
        }
}

static void print_order(FILE *to, struct hd_model *st, const struct hd_paint *p, u32 last)
{
    struct hd_rows r;
    char title[160];
    const struct hd_finding *f = st->f;
    if (!f->n_events) {
        heading(to, p, "Order of steps");
        hd_paint_line(to, p, "No step was recorded.");
        return;
    }
    hd_rows_make(&r, st, last);
    snprintf(title, sizeof title,
             "Order of steps (%u of %llu; one column per thread, time runs down)",
             r.n_steps, (unsigned long long)HD_MAX(f->stats.steps, (u64)r.n_steps));
    heading(to, p, title);
    hd_columns_print(to, st, &r, p);
    bool has_keys = false;
    for (u32 i = 0; i < r.v.n; i++)
        has_keys |= r.v.at[i].is_key && r.v.at[i].kind == HD_ROW_STEP;
    print_sources(to, st, &r, p);
    if (has_keys)
        hd_paint_line(to, p, "> marks the steps named above.");
    print_labels(to, st, p);
    hd_rows_release(&r);
}

/* ---- commands and limits ----------------------------------------------------------- */

void hd_report_command(FILE *to, const struct hd_finding *f)
{
    char path[600];
    snprintf(path, sizeof path, "%s/replay.heddle", f->dir);
    fputs("heddle replay ", to);
    hd_shell_word(to, path);
}

/* The line that hides this finding, and one that hides its kind there. */
static void print_suppress(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    char like[256];
    bool is_any = hd_suppress_suggest(st->f, st->s, like, sizeof like);
    if (st->f->id[0])
        hd_paint_line(to, p, "To suppress: the line finding:%s%s%s in a file given with --suppressions.",
             st->f->id, is_any ? " or " : "", is_any ? like : "");
}

static void print_commands(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    const struct hd_finding *f = st->f;
    heading(to, p, "Do it again");
    if (!f->dir[0]) {
        hd_paint_line(to, p, "This finding was not saved, so there is no file to replay.");
        print_suppress(to, st, p);
        return;
    }
    fputs("  ", to);
    hd_report_command(to, f);
    fputs("\n  ", to);
    hd_report_command(to, f);
    fputs(" --gdb\n", to);
    print_suppress(to, st, p);
}

/* "1 preemption" */
static void count_of(char *buf, size_t size, u64 n, const char *what)
{
    snprintf(buf, size, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

static void print_minimized(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    const struct hd_decided *d = &st->f->decided;
    char preemptions[48], steps[48], fewer[96] = "";
    if (d->why_not)
        hd_paint_line(to, p, "Not made smaller: %s.", d->why_not);
    if (!d->is_minimized)
        return;
    count_of(preemptions, sizeof preemptions, d->preemptions, "preemption");
    count_of(steps, sizeof steps, d->steps, "step");
    if (d->steps < d->steps_before) /* more: accesses that were no steps then */
        snprintf(fewer, sizeof fewer, ", %s instead of %llu", steps, (unsigned long long)d->steps_before);
    hd_paint_line(to, p, "Made smaller in %u runs and %.1f s: %s instead of %llu%s.%s",
         d->replays, d->seconds, preemptions, (unsigned long long)d->preemptions_before, fewer,
         st->f->is_outdated ? " It could not be saved; the file named below is as it was found."
         : st->f->dir[0]    ? " The schedule as it was found is kept in original.heddle."
                            : "");
    if (!d->is_complete)
        hd_paint_line(to, p, "The time or number of runs allowed ended that search; 'heddle minimize' with "
             "more --time may find less.");
    if (!d->is)
        hd_paint_line(to, p, "No two events were found whose order alone decides.");
}

static void print_limits(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    const struct hd_finding *f = st->f;
    const char *path;
    heading(to, p, "Limits");
    hd_paint_line(to, p, "Found with strategy %s, seed %llu, in run %llu, after %llu run%s and %.1f s.",
         f->strategy ? f->strategy : "(not known)", (unsigned long long)f->seed,
         (unsigned long long)f->run,
         (unsigned long long)f->runs_until, f->runs_until == 1 ? "" : "s", f->seconds);
    if (!f->tried)
        hd_paint_line(to, p, "It was not replayed yet.");
    else if (f->reproduced == f->tried)
        hd_paint_line(to, p, "Replayed %u time%s: the same %s every time.", f->tried,
             f->tried == 1 ? "" : "s", !hd_race_is(f) ? "failure" : f->race.step[2] ? "order" : "race");
    else
        hd_paint_line(to, p, "Replayed %u time%s: only %u gave the same failure, so something that is not "
             "controlled has a part in it.", f->tried, f->tried == 1 ? "" : "s", f->reproduced);
    print_minimized(to, st, p);
    hd_paint_line(to, p,
         "Memory model: sequential consistency. Effects of reordering by the compiler or the "
         "processor were not explored.");
    if (st->suspect.kind != HD_SUSPECT_NONE)
        hd_paint_line(to, p, "\"%s\" is a conclusion from this one run, not a proof.",
             st->suspect.score > 1 ? "Most likely" : "Possibly");
    if (!f->stats.instrumented)
        hd_paint_line(to, p, "The program was not built with -fsanitize=thread: memory accesses were not "
             "controlled, only calls of synchronization functions were.");
    for (u32 bit = 0; bit < HD_UNC_COUNT; bit++)
        if (f->stats.uncontrolled >> bit & 1)
            hd_paint_line(to, p, "Not controlled: %s.", hd_name_uncontrolled(bit));
    if (f->stats.uncontrolled && f->stats.uncontrolled_call[0])
        hd_paint_line(to, p, "The first call behind it: %s.", f->stats.uncontrolled_call);
    if (f->stats.events > f->n_events)
        hd_paint_line(to, p, "Only the last %u of %llu recorded steps were kept.", f->n_events,
             (unsigned long long)f->stats.events);
    if (hd_symbols_is_stripped(st->s, &path))
        hd_paint_line(to, p,
             "%s has no debug information (or was rebuilt since): build it with -g to see names "
             "and lines.", path);
    if (hd_symbols_is_stale(st->s, &path))
        hd_paint_line(to, p, "%s is newer than the program: the source lines shown may be off.", path);
}

static void print_all(FILE *to, const struct hd_finding *f, struct hd_symbols *s,
                      const struct hd_text_opts *o)
{
    struct hd_model st;
    struct hd_paint p = {.color = o && o->color, .width = o && o->width > 0 ? HD_MAX(o->width,
        30) : 80};
    char *sentence = NULL;
    size_t len;
    hd_model_init(&st, f, s);
    hd_paint_on(to, &p, HD_BOLD);
    const char *kind = hd_finding_kind(f);
    fprintf(to, "%s %s", f->is_remark ? "REMARK" : "FINDING", f->id[0] ? f->id : kind);
    if (f->id[0] && strncmp(f->id, kind, strlen(kind)))
        fprintf(to, " (%s)", kind);
    if (hd_race_is(f))
        fprintf(to, "   %s", hd_race_class_text(f->race.class));
    hd_paint_off(to, &p);
    fputs("\n", to);
    FILE *words = open_memstream(&sentence, &len);
    HD_ASSERT(words);
    hd_sentence(&st, words);
    hd_sentence_process(f, words);
    if (f->decided.is) {
        fputc(' ', words);
        hd_sentence_decided(&st, words);
    }
    if (f->stats.delay.ns > 0) {
        fputc(' ', words);
        hd_sentence_delay(&st, words);
    }
    fclose(words);
    hd_paint_wrap(to, &p, sentence, 0, 0);
    free(sentence);
    print_evidence(to, &st, &p);
    print_order(to, &st, &p, o && o->last_steps ? o->last_steps : DEFAULT_STEPS);
    print_commands(to, &st, &p);
    print_limits(to, &st, &p);
    hd_model_release(&st);
}

void hd_report_text(FILE *to, const struct hd_finding *f, struct hd_symbols *s,
                    const struct hd_text_opts *o)
{
    char *text = NULL;
    size_t n = 0;
    FILE *raw = open_memstream(&text, &n);
    HD_ASSERT(raw);
    print_all(raw, f, s, o);
    HD_ASSERT(!fclose(raw));
    if (o && o->color)
        hd_clean_put_styled(to, text, n);
    else
        hd_clean_put(to, text);
    free(text);
}
