/* heap.h: malloc of the target and what it knows about its blocks.
 *
 * heap.c ties the allocator (heap_core.h) to the runtime: the lock, who
 * allocated and freed a block, events. heap_report.c turns misuse into a
 * verdict. malloc.c exports the C and C++ names.
 */
#ifndef HD_HEAP_H
#define HD_HEAP_H

#include "runtime/core/rt.h" /* first: it asks libc's headers for everything */

#include "runtime/heap/heap_core.h"
#include "runtime/heap/heap_stack.h"

extern HD_HIDDEN struct hd_heap hd_heap;
extern struct hd_stacks hd_heap_stacks;
/* Look for misuse, and keep who allocated and freed. On unless switched off. */
extern bool hd_heap_oracle;
extern HD_HIDDEN u64 hd_heap_watched; /* bytes of the region whose accesses are looked at: all or none */
extern bool hd_heap_clears; /* every block is given out cleared: what nobody wrote is then the same in
                               all runs (final.h) */
/* For the run that begins. Without it freed blocks are given out again at once. */
void hd_heap_watch(bool is_on);

/* malloc & co. NULL if there is no memory; errno is the caller's business.
 * `align` is a power of two. `site`: who called the exported function. */
void *hd_malloc(size_t size, size_t align, u64 site);
void *hd_calloc(size_t size, u64 site);
void *hd_realloc(void *p, size_t size, u64 site);
void hd_free(void *p, u64 site);
/* What the program's own malloc would return: for functions whose result it
 * frees. A program may bring a malloc of its own. Sets errno. */
void *hd_program_malloc(size_t size, u64 site);
size_t hd_heap_size(const void *p); /* bytes asked for; 0 if p is no live block */

/* For what walks hd_heap itself; no scheduling point in between. */
void hd_heap_lock(void);
void hd_heap_unlock(void);

struct hd_heap_block {
    u64 start, size; /* size as asked for */
    u8 state;        /* enum hd_heap_state */
    u16 alloc_tid, free_tid;              /* HD_NO_THREAD: not known */
    const struct hd_stack *alloc, *freed; /* NULL: not known */
};
/* The block that holds addr (or held, and nobody has it since). */
bool hd_heap_find(u64 addr, struct hd_heap_block *out);

/* An access outside of live blocks, as it seems: checked again, reported. */
HD_COLD void hd_heap_bad_access(u64 addr, u32 size, bool is_write, u64 site);
/* A byte was overwritten that nobody may write: noticed late. Returns if the calling
 * thread is not under control. `site` 0: not at a call. */
HD_COLD void hd_heap_noticed(u64 addr, enum hd_heap_noticed how, u64 site);
/* The run ends: looks for such bytes everywhere. */
void hd_heap_verify(void);
/* free() or realloc() of p, whose lookup gave `ref`. Does not return. */
_Noreturn HD_COLD void hd_heap_bad_free(u64 p, const struct hd_heap_ref *ref, u64 site);

HD_INLINE bool hd_heap_has(u64 addr) { return addr - hd_heap.base < hd_heap.bytes; }

#endif
