/* map.h: hash map from u64 to u64, host only (malloc; map.c is empty in the
 * target). Every key and every value is allowed, 0 and ~0 included.
 *
 * Open addressing with linear probing, at most 3/4 full; deleting moves the
 * followers back instead of leaving marks, so a map that lives long does not
 * get slower. Same puts and dels in the same order give the same iteration
 * order on every machine.
 */
#ifndef HD_MAP_H
#define HD_MAP_H

#include "base/base.h"

struct hd_map_slot {
    u64 key, value;
};

struct hd_map {
    size_t n;                 /* pairs in it */
    size_t cap;               /* slots: 0 or a power of two */
    struct hd_map_slot *slot;
    u64 *used;                /* bit set over slots */
};

/* Zeroed is initialized too. */
void hd_map_init(struct hd_map *m);
void hd_map_release(struct hd_map *m);
/* Empty, memory kept. */
void hd_map_clear(struct hd_map *m);

/* Address of the value, or NULL. Valid until the next put or del. */
u64 *hd_map_get(const struct hd_map *m, u64 key);
bool hd_map_has(const struct hd_map *m, u64 key);
/* The value, or `otherwise` if there is none. */
u64 hd_map_get_or(const struct hd_map *m, u64 key, u64 otherwise);

/* Sets it; true if the key is new. */
bool hd_map_put(struct hd_map *m, u64 key, u64 value);
/* Address of the value, put in as `first` if the key is new. For counting:
 * ++*hd_map_ref(m, key, 0). Valid until the next put, ref or del. */
u64 *hd_map_ref(struct hd_map *m, u64 key, u64 first);
/* True if it was there. */
bool hd_map_del(struct hd_map *m, u64 key);

/* for (size_t i = 0; hd_map_next(m, &i, &key, &value);): no put, ref of a new
 * key, or del meanwhile. value may be NULL. */
bool hd_map_next(const struct hd_map *m, size_t *i, u64 *key, u64 *value);

/* Executable invariants. */
bool hd_map_is_valid(const struct hd_map *m);

#endif
