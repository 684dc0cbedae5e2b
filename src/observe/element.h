/* element.h: one covered thing of any metric, its text form, and the set that
 * holds every element ever met.
 *
 * The set keeps sites as small numbers (intern table) so that a whole element
 * is compared by four words: keys are exact, two elements never share one.
 * Cost: 48 bytes an element, 8 to 22 for its place in the hash table, and at
 * most as much again while the array grows.
 */
#ifndef HD_ELEMENT_H
#define HD_ELEMENT_H

#include "base/base.h"

enum hd_metric {
#define HD_OBSERVER(name, doc) HD_METRIC_##name,
#include "observe/observe.def"
#undef HD_OBSERVER
    HD_METRIC_COUNT
};
#define HD_METRICS_ALL (((u64)1 << HD_METRIC_COUNT) - 1)

/* From the rows of observe.def. hd_metric_find: HD_METRIC_COUNT = no such. */
const char *hd_metric_name(u32 metric);
const char *hd_metric_doc(u32 metric);
u32 hd_metric_find(const char *name, size_t n);

#define HD_ELEMENT_SITES 4
#define HD_ELEMENT_EXTRA 2
#define HD_ELEMENT_SUBS 18 /* sub is below this in every metric */

/* What a sub means is up to the metric (docs/metrics.md). Unused sites and
 * extras are 0. */
struct hd_element {
    u8 metric;                   /* enum hd_metric */
    u8 sub;                      /* idiom, pattern, ...; 0 = the metric has none */
    u8 n, n_extra;               /* sites and extras used */
    u32 extra[HD_ELEMENT_EXTRA]; /* contexts (hapset) */
    u64 site[HD_ELEMENT_SITES];  /* sites; function ids for cfp */
};

/* Elements that mean the same in two orders (idiom 5, race, cfp) are brought
 * into one, by the values of the sites. */
void hd_element_canonical(struct hd_element *e);

/* "iroot/2:401a00,401b10,401a20", "hapset/1:401a00,401b10;9f3c,77a1". Returns
 * the length without the final 0; pre: size >= HD_ELEMENT_TEXT. */
#define HD_ELEMENT_TEXT 128
u32 hd_element_text(const struct hd_element *e, char *out, size_t size);

/* ---- the set ------------------------------------------------------------------ */

/* An element with sites as numbers of the intern table. Compared as 4 words. */
struct hd_key {
    u32 site[HD_ELEMENT_SITES];
    u32 extra[HD_ELEMENT_EXTRA];
    u8 metric, sub, n, n_extra;
    u32 zero;
};
_Static_assert(sizeof(struct hd_key) == 32, "compared as words");

struct hd_record {
    struct hd_key key;
    u32 first_run;
    float first_seconds;
    u32 runs;  /* runs that showed it */
    u32 stamp; /* the set's stamp when last met */
};

struct hd_site_slot {
    u64 site;
    u32 id; /* 0 = free slot */
};

struct hd_slot {
    u32 at;  /* record, 0 = free slot */
    u32 tag; /* upper half of the hash */
};

struct hd_set {
    struct hd_record *record; /* [1, n] are used */
    u32 n, cap;
    struct hd_slot *slot;
    u32 n_slots;              /* power of two */
    u32 stamp;                /* changes with every run */
    u64 *site;                /* by number; [0] is 0 = none */
    u32 n_sites, cap_sites;
    struct hd_site_slot *site_slot;
    u32 n_site_slots;
};

void hd_set_init(struct hd_set *s);
void hd_set_release(struct hd_set *s);

/* Number of a site, > 0, the same as long as the set lives. */
u32 hd_set_site(struct hd_set *s, u64 site);

/* Record number of the key, 0 = not there. */
u32 hd_set_find(const struct hd_set *s, const struct hd_key *k);
/* Pre: not there. The record is zeroed but for the key. */
u32 hd_set_insert(struct hd_set *s, const struct hd_key *k);

void hd_set_key(struct hd_set *s, const struct hd_element *e, struct hd_key *k);
void hd_set_element(const struct hd_set *s, const struct hd_key *k, struct hd_element *e);
size_t hd_set_bytes(const struct hd_set *s);

HD_INLINE u64 hd_key_hash(const struct hd_key *k)
{
    u64 w[4];
    __builtin_memcpy(w, k, sizeof w);
    u64 h = (w[0] ^ w[3] << 32 ^ w[3]) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 29 ^ w[1]) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 31 ^ w[2]) * 0x94d049bb133111ebull;
    return h ^ h >> 32;
}

HD_INLINE bool hd_key_is_equal(const struct hd_key *a, const struct hd_key *b)
{
    u64 x[4], y[4];
    __builtin_memcpy(x, a, sizeof x);
    __builtin_memcpy(y, b, sizeof y);
    return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]));
}

#endif
