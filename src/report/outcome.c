/* outcome.c: see outcome.h.
 *
 * The estimate: orders that exactly one run showed, divided by the number of runs, estimate
 * how many orders the next run would show that none has shown (Good, Biometrika 1953).
 * Deviation: only the last runs are counted, on both sides of the fraction, which has the
 * same expectation for runs drawn from the same distribution, and does not count runs of the beginning
 * that were aimed at what was missing then.
 */
#include "report/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "event/result.h"
#include "report/explain/model.h"

#define WINDOW_MIN 20 /* runs that an estimate needs */

char *hd_outcome_count(char *buf, u64 n)
{
    char plain[24];
    int k = snprintf(plain, sizeof plain, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < k; i++) {
        if (i && (k - i) % 3 == 0)
            buf[at++] = ',';
        buf[at++] = plain[i];
    }
    buf[at] = '\0';
    return buf;
}

static const char *s(u64 n) { return n == 1 ? "" : "s"; }

static bool result(const struct hd_outcome *o, char *buf, size_t size)
{
    char runs[28], hidden[96] = "", count[28];
    bool is_free = o->has_checked_races && !o->races && o->is_instrumented;
    if (o->suppressed)
        snprintf(hidden, sizeof hidden, ", but for %s finding%s that %s suppressed",
                 hd_outcome_count(count, o->suppressed), s(o->suppressed),
                 o->suppressed == 1 ? "is" : "are");
    snprintf(buf, size, "%s failure%s in %s run%s of %u thread%s (%.1f s)%s.",
             o->is_interrupted ? "Interrupted. So far no" : "No", is_free ? " and no race" : "",
             hd_outcome_count(runs, o->runs), s(o->runs), o->threads, s(o->threads), o->seconds,
             hidden);
    return true;
}

static bool races(const struct hd_outcome *o, char *buf, size_t size)
{
    size_t n = 0;
    if (o->races_unconfirmed)
        n = (size_t)snprintf(buf, size, "%u pair%s of accesses that no lock keeps apart %s driven "
                             "together and never met (--predicted lists them).", o->races_unconfirmed,
                             s(o->races_unconfirmed), o->races_unconfirmed == 1 ? "was" : "were");
    if (o->races_left && n < size)
        snprintf(buf + n, size - n, "%s%u pair%s of accesses that may race %s not looked into: there "
                 "were many, or the time was over.", n ? " " : "", o->races_left, s(o->races_left),
                 o->races_left == 1 ? "was" : "were");
    return o->races_unconfirmed || o->races_left;
}

static bool orders(const struct hd_outcome *o, char *buf, size_t size)
{
    char tested[28], all[28], some[28];
    size_t n;
    if (!o->has_orders)
        return false;
    u64 possible = o->tested + o->unreached + o->waiting + o->left;
    hd_outcome_count(tested, o->tested);
    if (o->is_predicted && !possible) {
        snprintf(buf, size, "The runs showed no order of events that could be another one.");
        return true;
    }
    if (!o->is_predicted)
        n = (size_t)snprintf(buf, size, "Tested: %s order%s of events", tested, s(o->tested));
    else if (possible == o->tested)
        n = (size_t)snprintf(buf, size, "Tested: all %s order%s of events that seem%s possible",
                             tested, s(o->tested), o->tested == 1 ? "s" : "");
    else
        n = (size_t)snprintf(buf, size, "Tested: %s of %s orders of events that seem possible",
                             tested, hd_outcome_count(all, possible));
    if (o->is_new < o->tested && n < size)
        n += (size_t)snprintf(buf + n, size - n, o->is_new ? ", %s of them now for the first time"
                                                           : ", none of them new",
                              hd_outcome_count(some, o->is_new));
    if (o->is_predicted && o->unreached && n < size)
        n += (size_t)snprintf(buf + n, size - n, "; %s could not be reached",
                              hd_outcome_count(some, o->unreached));
    if (o->is_predicted && o->waiting && n < size)
        n += (size_t)snprintf(buf + n, size - n, "; %s need%s an order that no run showed",
                              hd_outcome_count(some, o->waiting), o->waiting == 1 ? "s" : "");
    if (o->is_predicted && o->left && n < size)
        n += (size_t)snprintf(buf + n, size - n, "; %s %s left to be tried",
                              hd_outcome_count(some, o->left), o->left == 1 ? "is" : "are");
    if (n < size)
        snprintf(buf + n, size - n, ".");
    return true;
}

static bool estimate(const struct hd_outcome *o, char *buf, size_t size)
{
    char window[28], rate[28];
    if (!o->has_orders || !o->window)
        return false;
    if (o->window < WINDOW_MIN) {
        snprintf(buf, size, "These were too few runs to estimate what more of them would show.");
        return true;
    }
    hd_outcome_count(window, o->window);
    if (!o->singles)
        snprintf(buf, size,
                 "More runs like the last %s would hardly show anything new (estimate: fewer than "
                 "1 in %s).", window, window);
    else if (o->singles * 2 > o->window)
        snprintf(buf, size, "Far from done: by estimate each further run would show %.1f new orders.",
                 (double)o->singles / (double)o->window);
    else
        snprintf(buf, size,
                 "Of more runs like the last %s about 1 in %s would show a new order (estimate).",
                 window, hd_outcome_count(rate, (o->window + o->singles / 2) / o->singles));
    return true;
}

/* ---- what was not explored --------------------------------------------------------------- */

struct parts {
    char *buf;
    size_t size, n;
};

HD_PRINTF(2, 3) static void add(struct parts *p, const char *format, ...)
{
    va_list ap;
    if (p->n >= p->size)
        return;
    p->n += (size_t)snprintf(p->buf + p->n, p->size - p->n, p->n ? ", " : "Not explored: ");
    if (p->n >= p->size)
        return;
    va_start(ap, format);
    int k = vsnprintf(p->buf + p->n, p->size - p->n, format, ap);
    va_end(ap);
    p->n += (size_t)HD_MAX(k, 0);
}

static void add_weak(struct parts *p, const struct hd_outcome *o)
{
    if (o->relaxed && o->weaker)
        add(p, "weak memory (%u relaxed atomic%s, %u acquire or release)", o->relaxed,
            s(o->relaxed), o->weaker);
    else if (o->relaxed)
        add(p, "weak memory (%u relaxed atomic%s)", o->relaxed, s(o->relaxed));
    else if (o->weaker)
        add(p, "weak memory (%u acquire or release atomic%s)", o->weaker, s(o->weaker));
}

static void add_uncontrolled(struct parts *p, const struct hd_outcome *o)
{
    bool is_one = o->uncontrolled && !(o->uncontrolled & (o->uncontrolled - 1));
    for (u32 bit = 0; bit < HD_UNC_COUNT; bit++) {
        if (!(o->uncontrolled >> bit & 1))
            continue;
        const char *what = hd_name_unexplored(bit);
        if (is_one && o->call && *o->call && strcmp(o->call, what))
            add(p, "%s (%s)", what, o->call);
        else
            add(p, "%s", what);
    }
}

static bool unexplored(const struct hd_outcome *o, char *buf, size_t size)
{
    struct parts p = {buf, size, 0};
    char count[28];
    if (!o->is_instrumented)
        add(&p, "memory accesses (the program is not built with -fsanitize=thread)");
    add_weak(&p, o);
    add_uncontrolled(&p, o);
    if (o->cut)
        add(&p, "the later part of %s long run%s", hd_outcome_count(count, o->cut), s(o->cut));
    if (o->limited)
        add(&p, "the rest of %s run%s that a limit ended", hd_outcome_count(count, o->limited),
            s(o->limited));
    if (!p.n)
        return false;
    if (p.n < size)
        snprintf(buf + p.n, size - p.n, ".");
    return true;
}

bool hd_outcome_line(const struct hd_outcome *o, u32 line, char *buf, size_t size)
{
    static bool (*const sentence[])(const struct hd_outcome *, char *, size_t) = {
        result, races, orders, estimate, unexplored};
    for (u32 i = 0; i < HD_COUNT(sentence); i++)
        if (sentence[i](o, buf, size) && !line--)
            return true;
    return false;
}
