/* until.c: heddle replay --until STEP: where every thread is after that step of the run, and
 * what it does next. All of it is in the recorded steps: the run need not be stopped. */
#include "cli/cli.h"
#include "report/clean.h"
#include "report/explain/model.h"

static void put_step(struct hd_model *st, const char *before, u32 i)
{
    const struct hd_event *e = &st->f->events[i];
    struct hd_srcloc l;
    char what[300], value[128] = "";
    hd_model_place(st, e, i, &l);
    hd_name_action(st, e, what, sizeof what);
    bool has_value = hd_value_text(st, i, i, value, sizeof value);
    hd_clean_printf(stdout, "  %s step %u: %s%s%s", before, e->step, what, has_value ? " " : "",
                    has_value ? value : "");
    if (l.file && l.line > 0)
        hd_clean_printf(stdout, " at %s:%d%s%s", l.file, l.line, l.function ? " in " : "",
                        l.function ? l.function : "");
    putchar('\n');
}

int hd_cli_until(const struct hd_finding *f, struct hd_symbols *s, u64 step)
{
    struct hd_model st;
    u64 last = f->n_events ? f->events[f->n_events - 1].step : 0;
    if (!f->n_events || step > last)
        return hd_cli_fail(HD_EXIT_USAGE, "--until %llu: the run has %llu steps",
                           (unsigned long long)step, (unsigned long long)last);
    if (step < f->events[0].step)
        return hd_cli_fail(HD_EXIT_USAGE, "--until %llu: of this long run only the steps from %u on "
                           "are kept; use --gdb --at", (unsigned long long)step, f->events[0].step);
    hd_model_init(&st, f, s);
    printf("After step %llu of %llu\n", (unsigned long long)step, (unsigned long long)last);
    for (u32 t = 0; t < f->n_threads; t++) {
        u32 did = f->n_events, next = f->n_events;
        char who[48];
        for (u32 i = 0; i < f->n_events; i++) {
            if (f->events[i].tid != f->threads[t].tid)
                continue;
            if (f->events[i].step <= step)
                did = i;
            else if (next == f->n_events)
                next = i;
        }
        hd_name_thread(&st, f->threads[t].tid, who, sizeof who);
        hd_clean_printf(stdout, "%s\n", who);
        if (did < f->n_events)
            put_step(&st, "did ", did);
        if (next < f->n_events)
            put_step(&st, "next", next);
        else
            printf("  %s\n", did < f->n_events ? "does nothing more" : "does nothing in the steps kept");
    }
    hd_model_release(&st);
    return 0;
}
