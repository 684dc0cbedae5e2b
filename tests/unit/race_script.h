/* race_script.h: scripted lists of events for the observer of races, into a table of races. */
#ifndef HD_TEST_RACE_SCRIPT_H
#define HD_TEST_RACE_SCRIPT_H

#include "detect/races.h"
#include "observe/coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000, M = 0x3000 };

/* A step each; NOTED: an event that is none. */
#define EV(t, k, o, s, ...) {.tid = t, .kind = HD_EV_##k, .obj = o, .site = s, .size = 8, ##__VA_ARGS__}
#define NOTED .ctx = 1
#define BYTES(t, k, o, s, n) {.tid = t, .kind = HD_EV_##k, .obj = o, .site = s, .size = n}
#define R(t, o, s) EV(t, READ, o, s)
#define W(t, o, s) EV(t, WRITE, o, s)
#define LIST(...) (struct hd_event[]){__VA_ARGS__}, sizeof((struct hd_event[]){__VA_ARGS__}) / sizeof(struct hd_event)

static inline void number(struct hd_event *ev, size_t n)
{
    u32 step = 0;
    for (size_t i = 0; i < n; i++) {
        step += !ev[i].ctx;
        ev[i].step = step;
    }
}

static struct hd_races races;

static inline void on_race(void *self, const struct hd_race_seen *s) { hd_races_add(&races, s, true); }

static inline void on_lock_order(void *self, const struct hd_lock_order_seen *s)
{
    hd_lock_orders_add(&races.locks, s, ~0u);
}

static inline void on_two(void *self, const struct hd_two_seen *s) { hd_twos_add(&races.twos, s, 3); }

static inline void observe(struct hd_event *ev, size_t n)
{
    struct hd_coverage c;
    struct hd_observe_config cfg = {.metrics = (u64)1 << HD_METRIC_race, .race = on_race,
                                    .lock_order = on_lock_order, .two = on_two};
    hd_races_release(&races);
    hd_races_init(&races);
    number(ev, n);
    hd_coverage_init(&c, &cfg);
    hd_coverage_begin_run(&c, 1, 0);
    for (size_t i = 0; i < n; i++)
        hd_coverage_event(&c, &ev[i]);
    hd_coverage_end_run(&c, 0);
    hd_coverage_release(&c);
}

#endif
