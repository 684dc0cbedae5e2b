/* heap_stack.h: call stacks of allocations and frees, each kept once and named
 * by a number. See heap_stack.c. */
#ifndef HD_HEAP_STACK_H
#define HD_HEAP_STACK_H

#include "base/base.h"
#include "runtime/heap/heap_core.h"

#define HD_STACKS_MAX (1u << 18)

struct hd_stack {
    u32 hash, n;
    u64 pc[HD_HEAP_DEPTH]; /* innermost first */
};

struct hd_stacks {
    struct hd_stack *stack; /* [1..n], private memory made on first use */
    u32 *slot;              /* hash table of numbers, 0 = empty */
    u32 n, slots;           /* slots: power of two */
    u32 *slot_next;         /* where a larger table will go */
};

/* The number of the stack pc[0..n), 0 < n <= HD_HEAP_DEPTH; 0 if there is no
 * room for another one. */
u32 hd_stacks_put(struct hd_stacks *t, const u64 *pc, u32 n);

/* The stack of a number from hd_stacks_put, or NULL for 0. */
const struct hd_stack *hd_stacks_get(const struct hd_stacks *t, u32 id);

#endif
