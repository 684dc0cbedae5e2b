/* active_rig.h: for tests of the active strategy: its state, and a goal. */
#ifndef HD_TEST_ACTIVE_RIG_H
#define HD_TEST_ACTIVE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../conform/sim.h"
#include "event/goal.h"

enum { X = 0x1000, Y = 0x2000, NOISE = 0x9000 };

#define EVENT(s, d, r, v, a) {.site = (s), .does = (d), .role = (r), .var = (v), .after = (a)}

static struct sim_driver driver;
static struct hd_goals goals;

static inline void goal(u32 n, u32 n_vars, const struct hd_goal_event *e)
{
    goals = (struct hd_goals){.n = 1};
    goals.at[0].n = (u8)n;
    goals.at[0].n_vars = (u8)n_vars;
    memcpy(goals.at[0].event, e, n * sizeof *e);
    for (u32 i = 0; i < n; i++)
        if (e[i].does <= HD_GOAL_UPDATE)
            goals.at[0].event[i].addr = e[i].var ? Y : X;
}

static inline int setup(void **state)
{
    driver = sim_driver_new(hd_strategy_find("active"));
    return driver.state == NULL;
}

static int teardown(void **state)
{
    sim_driver_free(&driver);
    return 0;
}

#endif
