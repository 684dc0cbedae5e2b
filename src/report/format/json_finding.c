/* json_finding.c: a finding as JSON. The fields are promised in docs/json.md;
 * adding one is compatible, changing or dropping one bumps HD_JSON_VERSION. */
#include "report/explain/model.h"
#include "report/explain/race.h"
#include "report/explain/sentence.h"
#include "report/expectation.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MAX_STEPS 1000  /* steps of the order, from the end */
#define MAX_FRAMES 256
#define MAX_THREADS 256 /* with stacks; the rest is counted */
#define MAX_EXCERPT 4096

static void write_place(struct hd_json *j, const struct hd_srcloc *l)
{
    char function[512];
    if (l->function)
        hd_name_function(l->function, sizeof function - 1, function, sizeof function);
    hd_json_str(j, "function", l->function ? function : NULL);
    hd_json_str(j, "file", l->file);
    hd_json_u64(j, "line", (u64)HD_MAX(l->line, 0));
}

static void write_frame(struct hd_json *j, const struct hd_srcloc *l)
{
    hd_json_object(j, NULL);
    write_place(j, l);
    hd_json_u64(j, "column", (u64)HD_MAX(l->column, 0));
    hd_json_str(j, "directory", l->dir);
    hd_json_str(j, "module", l->module);
    hd_json_hex(j, "offset", l->offset);
    hd_json_bool(j, "inlined", l->is_inlined);
    hd_json_end(j);
}

static void write_frames(struct hd_json *j, const struct hd_model *st,
                         const struct hd_finding_thread *t)
{
    struct hd_srcloc l[MAX_FRAMES];
    u32 n = hd_model_frames(st, t, l, MAX_FRAMES);
    hd_json_array(j, "frames");
    for (u32 i = 0; i < n; i++)
        write_frame(j, &l[i]);
    hd_json_end(j);
}

static const char *state_name(u8 state)
{
    static const char *const name[] = {
        [HD_T_FREE] = "free", [HD_T_NEW] = "new", [HD_T_PENDING] = "pending",
        [HD_T_RUNNING] = "running", [HD_T_BLOCKED_OUTSIDE] = "outside", [HD_T_FINISHED] = "finished",
    };
    return state < HD_COUNT(name) ? name[state] : "unknown";
}

/* Name of the variable or lock, null if it has none. */
static void write_variable(struct hd_json *j, struct hd_model *st, u64 obj)
{
    char name[512];
    bool is_named = hd_name_variable(st, obj, name, sizeof name);
    hd_json_str(j, "variable", is_named ? name : NULL);
}

static void write_threads(struct hd_json *j, struct hd_model *st)
{
    const struct hd_finding *f = st->f;
    char who[48];
    hd_json_u64(j, "n_threads", f->n_threads);
    hd_json_array(j, "threads");
    for (u32 i = 0; i < f->n_threads && i < MAX_THREADS; i++) {
        const struct hd_finding_thread *t = &f->threads[i];
        hd_json_object(j, NULL);
        hd_json_u64(j, "tid", t->tid);
        hd_name_thread(st, t->tid, who, sizeof who);
        hd_json_str(j, "name", who);
        hd_json_str(j, "state", state_name(t->state));
        if (t->state == HD_T_PENDING) {
            hd_json_str(j, "about_to", hd_event_text(t->op_kind));
            hd_json_hex(j, "object", t->op_obj);
            write_variable(j, st, t->op_obj);
        }
        struct hd_srcloc made;
        if (t->tid)
            hd_json_u64(j, "parent", t->parent);
        if (hd_model_created(st, t->tid, &made)) {
            hd_json_object(j, "created");
            hd_json_str(j, "file", made.file);
            hd_json_s64(j, "line", made.line);
            hd_json_str(j, "function", made.function);
            hd_json_end(j);
        }
        hd_json_array(j, "holds");
        for (u32 k = 0; k < st->held.v.n; k++)
            if (st->held.v.at[k].tid == t->tid) {
                hd_json_object(j, NULL);
                hd_json_hex(j, "object", st->held.v.at[k].obj);
                write_variable(j, st, st->held.v.at[k].obj);
                hd_json_u64(j, "step", f->events[st->held.v.at[k].event].step);
                hd_json_end(j);
            }
        hd_json_end(j);
        hd_json_bool(j, "position_is_guess", t->is_guess);
        write_frames(j, st, t);
        hd_json_end(j);
    }
    hd_json_end(j);
}

static void write_heap_place(struct hd_json *j, const char *key, const struct hd_model *st,
                             const struct hd_heap_place *p)
{
    if (!p->n)
        return;
    struct hd_finding_thread t = {.tid = HD_NO_THREAD, .n_frames = p->n, .frames = (u64 *)p->pc};
    hd_json_object(j, key);
    if (p->tid != HD_NO_THREAD)
        hd_json_u64(j, "tid", p->tid);
    write_frames(j, st, &t);
    hd_json_end(j);
}

static void write_heap(struct hd_json *j, const struct hd_model *st)
{
    static const char *const name[] = {
        [HD_HEAP_READ_FREED] = "read-freed", [HD_HEAP_WRITE_FREED] = "write-freed",
        [HD_HEAP_READ_OVERFLOW] = "read-past", [HD_HEAP_WRITE_OVERFLOW] = "write-past",
        [HD_HEAP_READ_WILD] = "read-wild", [HD_HEAP_WRITE_WILD] = "write-wild",
        [HD_HEAP_DOUBLE_FREE] = "double-free", [HD_HEAP_INVALID_FREE] = "invalid-free",
    };
    const struct hd_heap_report *h = &st->f->verdict.heap;
    hd_json_object(j, "heap");
    hd_json_str(j, "error", h->kind && h->kind < HD_COUNT(name) ? name[h->kind] : "unknown");
    hd_json_hex(j, "address", h->addr);
    hd_json_u64(j, "bytes", h->access_size);
    hd_json_hex(j, "block", h->block);
    hd_json_u64(j, "block_size", h->size);
    hd_json_s64(j, "block_offset", h->offset);
    if (h->noticed)
        hd_json_str(j, "noticed", h->noticed == HD_NOTICED_FREE ? "free" :
                    h->noticed == HD_NOTICED_REUSE ? "reuse" : "end");
    write_heap_place(j, "use", st, &h->use);
    write_heap_place(j, "allocated", st, &h->alloc);
    write_heap_place(j, "freed", st, &h->freed);
    hd_json_end(j);
}

static void write_cycle(struct hd_json *j, struct hd_model *st)
{
    const struct hd_cycle *c = &st->f->verdict.cycle;
    hd_json_bool(j, "is_cycle", c->is_cycle);
    hd_json_array(j, "waits");
    for (u32 i = 0; i < c->n; i++) {
        hd_json_object(j, NULL);
        hd_json_u64(j, "tid", c->tid[i]);
        hd_json_hex(j, "object", c->obj[i]);
        write_variable(j, st, c->obj[i]);
        if (c->is_cycle)
            hd_json_u64(j, "held_by", c->tid[(i + 1) % c->n]);
        hd_json_end(j);
    }
    hd_json_end(j);
}

static void write_expectation(struct hd_json *j, struct hd_model *st)
{
    struct hd_expectation e;
    if (!hd_expectation_find(st->f, &e))
        return;
    hd_json_object(j, "expectation");
    hd_json_str(j, "test", e.test[0] ? e.test : NULL);
    hd_json_str(j, "text", e.text);
    hd_json_str(j, "file", e.file[0] ? e.file : NULL);
    hd_json_u64(j, "line", e.line);
    hd_json_end(j);
}

static void write_verdict(struct hd_json *j, struct hd_model *st)
{
    const struct hd_verdict *v = &st->f->verdict;
    hd_json_object(j, "verdict");
    hd_json_str(j, "kind", hd_finding_kind(st->f));
    hd_json_u64(j, "tid", v->tid);
    hd_json_u64(j, "step", v->step);
    hd_json_str(j, "message", v->msg[0] ? v->msg : NULL);
    switch (v->kind) {
    case HD_V_EXIT:
        if (WIFEXITED(v->status))
            hd_json_s64(j, "exit_status", WEXITSTATUS(v->status));
        write_expectation(j, st);
        break;
    case HD_V_SIGNAL:
        hd_json_u64(j, "signal", v->signo);
        hd_json_str(j, "signal_name", hd_name_signal(v->signo));
        hd_json_hex(j, "fault_address", v->addr);
        break;
    case HD_V_ASSERT:
        hd_json_str(j, "assertion", st->assert_text[0] ? st->assert_text : NULL);
        break;
    case HD_V_DEADLOCK:
        write_cycle(j, st);
        break;
    case HD_V_HEAP:
        write_heap(j, st);
        break;
    case HD_V_MISUSE:
        hd_json_str(j, "misuse", hd_misuse_word(v->misuse.kind));
        if (v->misuse.kind > HD_MISUSE_LEAK)
            hd_json_str(j, "signal_name", hd_name_signal((int)(v->misuse.obj & 255)));
        if (v->misuse.kind >= HD_MISUSE_LEAK)
            break;
        hd_json_hex(j, "object", v->misuse.obj);
        write_variable(j, st, v->misuse.obj);
        break;
    case HD_V_DIVERGED:
        hd_json_u64(j, "diverged_step", v->diverged.step);
        break;
    default:
        break;
    }
    hd_json_end(j);
}

/* Old and new value, and where the function was called, as far as a replay told. */
static void write_details(struct hd_json *j, struct hd_model *st, const struct hd_event *e, u32 i)
{
    char value[320];
    struct hd_srcloc l;
    if (hd_value_text(st, i, i, value, sizeof value)) {
        char *arrow = strstr(value, " -> ");
        if (arrow)
            *arrow = 0;
        hd_json_str(j, "old", value[0] == '=' ? value + 2 : value);
        if (arrow)
            hd_json_str(j, "new", arrow + 4);
    }
    if (hd_model_caller(st, e, i, &l)) {
        hd_json_object(j, "caller");
        write_place(j, &l);
        hd_json_end(j);
    }
}

/* Members of an object that is open. `at`: its number among the events of the finding. */
static void write_event(struct hd_json *j, struct hd_model *st, const struct hd_event *e, u32 at)
{
    struct hd_srcloc l;
    hd_model_place(st, e, at, &l);
    hd_json_u64(j, "tid", e->tid);
    hd_json_str(j, "kind", hd_event_text(e->kind));
    write_place(j, &l);
    hd_json_hex(j, "object", e->obj);
    write_variable(j, st, e->obj);
    write_details(j, st, e, at);
}

static void write_order(struct hd_json *j, struct hd_model *st)
{
    const struct hd_finding *f = st->f;
    u32 keys[80], n_keys = hd_model_keys(st, keys, 80), k = 0;
    u32 printed = 0, from = f->n_events;
    while (from > 0 && printed < MAX_STEPS)
        printed += hd_model_is_visible(st, --from);
    hd_json_array(j, "order");
    for (u32 i = 0; i < f->n_events; i++) {
        bool is_key = k < n_keys && keys[k] == i;
        k += is_key;
        if (!is_key && (i < from || !hd_model_is_visible(st, i)))
            continue;
        const struct hd_event *e = &f->events[i];
        hd_json_object(j, NULL);
        hd_json_u64(j, "step", e->step);
        write_event(j, st, e, i);
        if (is_key)
            hd_json_bool(j, "key", true);
        hd_json_end(j);
    }
    hd_json_end(j);
}

static void write_suspect(struct hd_json *j, struct hd_model *st)
{
    static const char *const name[] = {
        [HD_SUSPECT_PAIR] = "pair", [HD_SUSPECT_PENDING] = "too-early",
        [HD_SUSPECT_TRIPLE] = "not-atomic",
    };
    const struct hd_suspect *p = &st->suspect;
    if (p->kind == HD_SUSPECT_NONE)
        return;
    u32 keys[4], n = hd_model_keys(st, keys, 4);
    hd_json_object(j, "suspect");
    hd_json_str(j, "pattern", name[p->kind]);
    write_variable(j, st, st->f->events[p->e[0]].obj);
    hd_json_bool(j, "proven", false);
    hd_json_array(j, "steps");
    for (u32 i = 0; i < n; i++)
        hd_json_u64(j, NULL, st->f->events[keys[i]].step);
    hd_json_end(j);
    hd_json_end(j);
}

static void write_minimized(struct hd_json *j, const struct hd_decided *d)
{
    if (!d->is_minimized && !d->why_not)
        return;
    hd_json_object(j, "minimized");
    hd_json_bool(j, "done", d->is_minimized);
    hd_json_str(j, "why_not", d->why_not);
    if (d->is_minimized) {
        hd_json_u64(j, "preemptions", d->preemptions);
        hd_json_u64(j, "preemptions_before", d->preemptions_before);
        hd_json_u64(j, "switches", d->switches);
        hd_json_u64(j, "switches_before", d->switches_before);
        hd_json_u64(j, "steps", d->steps);
        hd_json_u64(j, "steps_before", d->steps_before);
        hd_json_bool(j, "complete", d->is_complete);
    }
    hd_json_u64(j, "replays", d->replays);
    hd_json_f64(j, "seconds", d->seconds);
    hd_json_end(j);
}

static void write_decided(struct hd_json *j, struct hd_model *st)
{
    static const char *const name[HD_DECIDED_EVENTS] = {"before", "first", "second"};
    const struct hd_decided *d = &st->f->decided;
    char *text = NULL;
    size_t len;
    if (!d->is)
        return;
    FILE *to = open_memstream(&text, &len);
    HD_ASSERT(to);
    hd_sentence_decided(st, to);
    fclose(to);
    hd_json_object(j, "decided");
    hd_json_bool(j, "proven", true);
    hd_json_str(j, "text", text);
    free(text);
    hd_json_u64(j, "fails", d->fails);
    hd_json_u64(j, "fails_of", d->fails_of);
    hd_json_u64(j, "passes", d->passes);
    hd_json_u64(j, "passes_of", d->passes_of);
    for (u32 i = 0; i < HD_DECIDED_EVENTS; i++) {
        const struct hd_event *e = &d->event[i];
        if (i == HD_DECIDED_BEFORE && !e->step)
            continue;
        hd_json_object(j, name[i]);
        if (e->step)
            hd_json_u64(j, "step", e->step);
        write_event(j, st, e, hd_decided_find(st->f, i));
        hd_json_bool(j, "pending", !e->step);
        hd_json_end(j);
    }
    hd_json_end(j);
}

static void write_output(struct hd_json *j, const char *key, const char *text, size_t len)
{
    if (!text) {
        hd_json_str(j, key, NULL);
        return;
    }
    char excerpt[MAX_EXCERPT + 1];
    size_t n = HD_MIN(len, (size_t)MAX_EXCERPT), at = 0;
    for (size_t i = len - n; i < len; i++)
        excerpt[at++] = text[i] ? text[i] : ' '; /* NUL would end the string */
    excerpt[at] = 0;
    hd_json_str(j, key, excerpt);
}

/* What the run needs in time; null if nothing. */
static void write_delay(struct hd_json *j, struct hd_model *st)
{
    const struct hd_held_back *d = &st->f->stats.delay;
    char text[320], *sentence = NULL;
    size_t n;
    if (d->ns <= 0) {
        hd_json_str(j, "delay", NULL);
        return;
    }
    FILE *to = open_memstream(&sentence, &n);
    if (to) {
        hd_sentence_delay(st, to);
        fclose(to);
    }
    hd_json_object(j, "delay");
    hd_json_s64(j, "ns", d->ns);
    hd_json_u64(j, "thread", d->tid);
    hd_json_u64(j, "others", d->others);
    hd_json_u64(j, "step", d->step);
    hd_name_site(st, d->from, false, text, sizeof text);
    hd_json_str(j, "from", d->from ? text : NULL);
    hd_name_site(st, d->to, false, text, sizeof text);
    hd_json_str(j, "to", d->to ? text : NULL);
    hd_name_site(st, d->waiter_site, false, text, sizeof text);
    hd_json_str(j, "waits_at", d->waiter_site ? text : NULL);
    hd_json_str(j, "text", sentence);
    hd_json_end(j);
    free(sentence);
}

static void write_race(struct hd_json *j, struct hd_model *st)
{
    const struct hd_race *r = &st->f->race;
    if (!r->class) {
        hd_json_str(j, "race", NULL);
        return;
    }
    hd_json_object(j, "race");
    hd_json_str(j, "class", hd_race_class_word(r->class));
    if (r->is_apart)
        hd_json_bool(j, "apart", true);
    if (r->failure[0])
        hd_json_str(j, "failure", r->failure);
    hd_json_array(j, "accesses");
    for (u32 k = 0; k < hd_race_accesses(r); k++) {
        u32 which = r->step[3] && k >= 2 ? 5 - k : k; /* of four the third comes last */
        u32 i = hd_race_find(st->f, which), order = HD_MIN(k, 1u);
        if (i == ~0u)
            continue;
        const struct hd_event *e = &st->f->events[i];
        struct hd_srcloc l;
        char name[320];
        hd_model_place(st, e, i, &l);
        hd_json_object(j, NULL);
        hd_json_u64(j, "step", e->step);
        hd_json_u64(j, "thread", e->tid);
        hd_json_str(j, "kind", hd_event_text(e->kind));
        hd_json_str(j, "variable", hd_name_object_of(st, e, name, sizeof name) ? name : NULL);
        hd_json_hex(j, "address", e->obj);
        hd_json_u64(j, "size", e->size);
        hd_json_str(j, "function", l.function);
        hd_json_str(j, "file", l.file);
        hd_json_s64(j, "line", l.line);
        hd_json_str(j, "result", r->result[order][0] ? r->result[order] : NULL);
        hd_json_u64(j, "runs", r->of[order]);
        hd_json_u64(j, "same", r->same[order]);
        hd_json_end(j);
    }
    hd_json_end(j);
    hd_json_end(j);
}

void hd_report_json(struct hd_json *j, const char *key, const struct hd_finding *f,
                    struct hd_symbols *s)
{
    struct hd_model st;
    char text[2048];
    hd_model_init(&st, f, s);
    hd_report_title(f, s, text, sizeof text);
    hd_json_object(j, key);
    hd_json_u64(j, "heddle_json", HD_JSON_VERSION);
    hd_json_str(j, "id", f->id);
    hd_json_str(j, "kind", hd_finding_kind(f));
    hd_json_str(j, "title", text);
    hd_json_str(j, "program", f->program);
    hd_json_processes(j, &f->replay);
    hd_json_str(j, "strategy", f->strategy);
    hd_json_u64(j, "seed", f->seed);
    hd_json_u64(j, "run", f->run);
    hd_json_u64(j, "runs_until", f->runs_until);
    hd_json_f64(j, "seconds", f->seconds);
    hd_json_u64(j, "reproduced", f->reproduced);
    hd_json_u64(j, "tried", f->tried);
    hd_json_u64(j, "steps", f->stats.steps);
    hd_json_u64(j, "switches", f->stats.switches);
    hd_json_u64(j, "preemptions", f->stats.preemptions);
    hd_json_str(j, "memory_model", "sequential consistency");
    hd_json_bool(j, "instrumented", f->stats.instrumented != 0);
    hd_json_array(j, "uncontrolled");
    for (u32 bit = 0; bit < HD_UNC_COUNT; bit++)
        if (f->stats.uncontrolled >> bit & 1)
            hd_json_str(j, NULL, hd_name_uncontrolled(bit));
    hd_json_end(j);
    hd_json_str(j, "uncontrolled_call", *f->stats.uncontrolled_call ? f->stats.uncontrolled_call : NULL);
    snprintf(text, sizeof text, "%s/replay.heddle", f->dir);
    hd_json_str(j, "replay", f->dir[0] ? text : NULL);
    hd_json_bool(j, "remark", f->is_remark);
    write_delay(j, &st);
    write_verdict(j, &st);
    write_suspect(j, &st);
    write_race(j, &st);
    write_decided(j, &st);
    write_minimized(j, &f->decided);
    write_threads(j, &st);
    write_order(j, &st);
    write_output(j, "stdout", f->out, f->out_len);
    write_output(j, "stderr", f->err, f->err_len);
    hd_json_end(j);
    hd_model_release(&st);
}
