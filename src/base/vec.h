/* vec.h: typed growable arrays, host only (malloc). Any struct with the three
 * members of HD_VEC is one:
 *
 *   HD_VEC(struct hd_finding) list = {0};   // zeroed = empty
 *   *hd_vec_add(&list) = finding;
 *   for (size_t i = 0; i < list.n; i++) use(&list.at[i]);
 *   hd_vec_release(&list);
 *
 * Adding may move the elements: keep indices, not pointers, across it. Running
 * out of memory is HD_BUG: the host has no way to go on with half a list.
 */
#ifndef HD_VEC_H
#define HD_VEC_H

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HD_VEC(type)                                                                               \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, cap;                                                                             \
    }

/* Room for `want` elements of `size` bytes; at least doubles, so that adding is
 * cheap on average. Returns the new block. */
static inline void *hd_vec_room(void *at, size_t *cap, size_t want, size_t size)
{
    size_t next = *cap ? *cap : 8, bytes;
    while (next < want && next <= SIZE_MAX / 2)
        next *= 2;
    HD_ASSERT(next >= want && !__builtin_mul_overflow(next, size, &bytes));
    at = realloc(at, bytes);
    HD_ASSERT(at != NULL);
    *cap = next;
    return at;
}

/* Zeroes memory that malloc gave. Of a large piece the pages are given back instead, so that
 * those that nobody writes to never take memory. */
static inline void hd_vec_zero(void *at, size_t n)
{
    enum { PAGE = 4096, LARGE = 16 * PAGE };
    char *from = at, *to = from + n;
    char *first = (char *)HD_ALIGN_UP((uintptr_t)from, PAGE);
    char *last = (char *)((uintptr_t)to / PAGE * PAGE);
    if (n < LARGE || madvise(first, (size_t)(last - first), MADV_DONTNEED)) {
        memset(from, 0, n);
        return;
    }
    memset(from, 0, (size_t)(first - from));
    memset(last, 0, (size_t)(to - last));
}

/* A table by number: room for element i; new ones are zeroed. Returns the new block. */
static inline void *hd_vec_room_zeroed(void *at, u32 *cap, u32 i, size_t size)
{
    size_t had = *cap, now = HD_MAX(had, (size_t)8);
    at = hd_vec_room(at, &now, (size_t)i + 1, size);
    hd_vec_zero((char *)at + had * size, (now - had) * size);
    *cap = (u32)now;
    return at;
}

/* Room for at least `want` elements in all. */
#define hd_vec_reserve(v, want)                                                                    \
    do {                                                                                           \
        size_t want_ = (want);                                                                     \
        if (want_ > (v)->cap)                                                                      \
            (v)->at = hd_vec_room((v)->at, &(v)->cap, want_, sizeof(*(v)->at));                    \
    } while (0)

/* Address of a new last element; its content is not set. */
#define hd_vec_add(v)                                                                              \
    ({                                                                                             \
        __auto_type v_ = (v);                                                                      \
        hd_vec_reserve(v_, v_->n + 1);                                                             \
        &v_->at[v_->n++];                                                                          \
    })

/* Address of the last element. Pre: not empty. */
#define hd_vec_last(v)                                                                             \
    ({                                                                                             \
        __auto_type v_ = (v);                                                                      \
        HD_ASSERT(v_->n > 0);                                                                      \
        &v_->at[v_->n - 1];                                                                        \
    })

/* Takes element i out by moving the last one to its place. Pre: i < n. */
#define hd_vec_del_fast(v, i)                                                                      \
    do {                                                                                           \
        __auto_type v_ = (v);                                                                      \
        size_t i_ = (i);                                                                           \
        HD_ASSERT(i_ < v_->n);                                                                     \
        v_->at[i_] = v_->at[--v_->n];                                                              \
    } while (0)

/* Empty, memory kept. */
#define hd_vec_clear(v) ((void)((v)->n = 0))

/* Empty, memory given back. */
#define hd_vec_release(v)                                                                          \
    do {                                                                                           \
        __auto_type v_ = (v);                                                                      \
        free(v_->at);                                                                              \
        v_->at = NULL;                                                                             \
        v_->n = v_->cap = 0;                                                                       \
    } while (0)

#endif
