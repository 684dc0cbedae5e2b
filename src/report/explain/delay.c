/* delay.c: what a failure needs in time: "It needs T1 to be delayed by 1 s between
 * queue.c:40 and queue.c:41". From struct hd_held_back, which the scheduler fills in. Needed is what was
 * still there when the finding had been made smaller; of other runs it is said that it was so. */
#include "report/explain/model.h"

#include <string.h>

static void amount(s64 ns, char *buf, size_t size)
{
    if (ns >= 1000000000)
        snprintf(buf, size, "%.3g s", (double)ns / 1e9);
    else if (ns >= 1000000)
        snprintf(buf, size, "%.3g ms", (double)ns / 1e6);
    else
        snprintf(buf, size, "%.3g us", (double)ns / 1e3);
}

/* "between a.c:3 and a.c:7" */
static void print_where(struct hd_model *st, const struct hd_held_back *d, FILE *to)
{
    char from[320] = "", next[320] = "";
    if (d->from)
        hd_name_site(st, d->from, false, from, sizeof from);
    if (d->to)
        hd_name_site(st, d->to, false, next, sizeof next);
    if (from[0] && next[0] && strcmp(from, next))
        fprintf(to, " between %s and %s", from, next);
    else if (next[0])
        fprintf(to, from[0] ? " at %s" : " before %s", next);
    else if (from[0])
        fprintf(to, " after %s", from);
    else
        fputs(" before it begins", to);
}

static void print_what_comes(struct hd_model *st, const struct hd_held_back *d, FILE *to)
{
    char who[64], place[320];
    if (d->waiter == HD_NO_THREAD) {
        fputs(", so that a timer expires first", to);
        return;
    }
    hd_name_thread(st, d->waiter, who, sizeof who);
    fprintf(to, ", so that the %s of %s", d->is_sleep ? "sleep" : "timed wait", who);
    if (d->waiter_site) {
        hd_name_site(st, d->waiter_site, false, place, sizeof place);
        fprintf(to, " at %s", place);
    }
    fputs(" ends first", to);
}

bool hd_sentence_delay(struct hd_model *st, FILE *to)
{
    const struct hd_held_back *d = &st->f->stats.delay;
    char who[64], howlong[32];
    if (d->ns <= 0)
        return false;
    hd_name_thread(st, d->tid, who, sizeof who);
    amount(d->ns, howlong, sizeof howlong);
    bool is_needed = st->f->decided.is_minimized;
    fprintf(to, !is_needed ? "In this run %s" : st->f->is_remark ? "It would fail if %s" : "It needs %s", who);
    if (d->others)
        fprintf(to, " and %u other thread%s", d->others, d->others == 1 ? "" : "s");
    fprintf(to, !is_needed && !d->others ? " was delayed by %s"
                : !is_needed || st->f->is_remark ? " were delayed by %s" : " to be delayed by %s", howlong);
    print_where(st, d, to);
    print_what_comes(st, d, to);
    fputc('.', to);
    return true;
}
