/* Names with values, both strings.
 * bug: kv_rename takes the entry out and puts it back under the new name in two steps: in
 * between there is neither.
 * kind: result */
#ifndef KV_H
#define KV_H
typedef struct kv kv;
kv *kv_new(void);
void kv_unref(kv *store);
void kv_set(kv *store, const char *key, const char *value);
/* A copy for the caller, or NULL. */
char *kv_get(kv *store, const char *key);
int kv_rename(kv *store, const char *from, const char *to);
#endif
