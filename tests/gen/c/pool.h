/* Buffers that are used again.
 * bug: pool_put links a buffer into the free list without the lock: one is lost or given twice.
 * kind: result */
#ifndef POOL_H
#define POOL_H
struct pool;
struct buffer;
struct pool *pool_new(void);
void pool_free(struct pool *p);
struct buffer *pool_get(struct pool *p);
void pool_put(struct pool *p, struct buffer *b);
int pool_idle(const struct pool *p);
#endif
