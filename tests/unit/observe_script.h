/* observe_script.h: scripted event lists for the tests of observe/. Threads are
 * 0, 1, 2; sites are small numbers; X, Y, Z are variables, M, N locks, C a
 * condition. */
#ifndef HD_OBSERVE_SCRIPT_H
#define HD_OBSERVE_SCRIPT_H

#include "observe/coverage.h"
#include "unit/element_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000, Z = 0x3000, M = 0x4000, N = 0x5000, C = 0x6000 };

#define EV(t, k, o, s, ...)                                                                        \
    {                                                                                              \
        .tid = (t), .kind = HD_EV_##k, .obj = (o), .site = (s), ##__VA_ARGS__                      \
    }
#define R(t, o, s) EV(t, READ, o, s, .size = 8)
#define W(t, o, s) EV(t, WRITE, o, s, .size = 8)
#define U(t, o, s) EV(t, ARMW, o, s, .size = 8)
#define LOCK(t, o, s) EV(t, LOCK, o, s)
#define UNLOCK(t, o, s) EV(t, UNLOCK, o, s)
#define EVENTS(...)                                                                                \
    (const struct hd_event[]){__VA_ARGS__},                                                        \
        sizeof((const struct hd_event[]){__VA_ARGS__}) / sizeof(struct hd_event)

static inline void cover(struct hd_coverage *c, u32 metric)
{
    hd_coverage_init(c, &(struct hd_observe_config){.metrics = (u64)1 << metric});
}

/* One whole run. */
static inline void run(struct hd_coverage *c, const struct hd_event *ev, size_t n)
{
    hd_coverage_begin_run(c, c->runs + 1, (double)c->runs);
    for (size_t i = 0; i < n; i++)
        hd_coverage_event(c, &ev[i]);
    hd_coverage_end_run(c, (double)c->runs + 1);
}

static inline bool has(struct hd_coverage *c, const char *text)
{
    struct hd_element e;
    if (!element_parse(&e, text))
        fail_msg("no element: %s", text);
    return hd_coverage_has(c, &e);
}

/* Exactly these were covered, "" = none; separated by blanks. */
static inline void expect(struct hd_coverage *c, const char *all)
{
    char list[2048], text[HD_ELEMENT_TEXT], *save = NULL;
    u32 n = 0;
    snprintf(list, sizeof list, "%s", all);
    for (char *p = strtok_r(list, " ", &save); p; p = strtok_r(NULL, " ", &save), n++)
        if (!has(c, p))
            fail_msg("not covered: %s", p);
    if (n == hd_coverage_size(c))
        return;
    for (u32 i = 0; i < hd_coverage_size(c); i++) {
        struct hd_element e;
        hd_coverage_at(c, i, &e, NULL);
        hd_element_text(&e, text, sizeof text);
        print_message("covered: %s\n", text);
    }
    fail_msg("expected %u elements, got %u", n, hd_coverage_size(c));
}

/* A fresh coverage of one metric, one run, exactly these elements. */
static inline void check(u32 metric, const struct hd_event *ev, size_t n, const char *all)
{
    struct hd_coverage c;
    cover(&c, metric);
    run(&c, ev, n);
    expect(&c, all);
    hd_coverage_release(&c);
}

#endif
