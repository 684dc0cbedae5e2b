/* Numbers by name.
 * bug: the count is kept outside the lock, in two steps: it is not the number of names.
 * kind: result */
#ifndef HASHMAP_H
#define HASHMAP_H
#include <stddef.h>
struct hashmap;
struct hashmap *hashmap_new(void);
void hashmap_free(struct hashmap *m);
int hashmap_set(struct hashmap *m, const char *key, int value); /* 1: it is new */
int hashmap_get(const struct hashmap *m, const char *key);      /* -1: it is not there */
int hashmap_remove(struct hashmap *m, const char *key);         /* 1: it was there */
size_t hashmap_size(const struct hashmap *m);
#endif
