/* map_pattern.c: see map_pattern.h. */
#include "plan/map/map_pattern.h"

#define X(role, write)                                                                             \
    {                                                                                              \
        role, 0, write                                                                             \
    }
#define Y(role, write)                                                                             \
    {                                                                                              \
        role, 1, write                                                                             \
    }
enum { A, B, R = 0, W = 1 };

const struct hd_map_pattern hd_map_pattern[HD_MAP_PATTERNS + 1] = {
    [1] = {2, 1, {X(A, R), X(B, W)}},
    [2] = {2, 1, {X(A, W), X(B, R)}},
    [3] = {2, 1, {X(A, W), X(B, W)}},
    [4] = {3, 1, {X(A, R), X(B, W), X(A, R)}},
    [5] = {3, 1, {X(A, W), X(B, W), X(A, R)}},
    [6] = {3, 1, {X(A, W), X(B, R), X(A, W)}},
    [7] = {3, 1, {X(A, R), X(B, W), X(A, W)}},
    [8] = {3, 1, {X(A, W), X(B, W), X(A, W)}},
    [9] = {4, 2, {X(A, W), X(B, W), Y(B, W), Y(A, W)}},
    [10] = {4, 2, {X(A, W), Y(B, W), X(B, W), Y(A, W)}},
    [11] = {4, 2, {X(A, W), Y(B, W), Y(A, W), X(B, W)}},
    [12] = {4, 2, {X(A, W), X(B, R), Y(B, R), Y(A, W)}},
    [13] = {4, 2, {X(A, W), Y(B, R), X(B, R), Y(A, W)}},
    [14] = {4, 2, {X(A, R), X(B, W), Y(B, W), Y(A, R)}},
    [15] = {4, 2, {X(A, R), Y(B, W), X(B, W), Y(A, R)}},
    [16] = {4, 2, {X(A, R), Y(B, W), Y(A, R), X(B, W)}},
    [17] = {4, 2, {X(A, W), Y(B, R), Y(A, W), X(B, R)}},
};

void hd_map_goal(u32 pattern, const u64 *pc, struct hd_goal *out)
{
    const struct hd_map_pattern *p = &hd_map_pattern[pattern];
    *out = (struct hd_goal){.n = p->n, .n_vars = p->n_vars};
    for (u32 i = 0; i < p->n; i++)
        out->event[i] =
            (struct hd_goal_event){.site = pc[i],
                                   .does = p->step[i].is_write ? HD_GOAL_WRITE : HD_GOAL_READ,
                                   .role = p->step[i].role,
                                   .var = p->step[i].var,
                                   .after = (u8)((1u << i) - 1)};
}
