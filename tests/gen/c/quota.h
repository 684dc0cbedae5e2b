/* Space that users are charged for, up to a limit, without a lock.
 * bug: quota_charge adds first and takes back what is too much: meanwhile another charge that has room is refused.
 * kind: result */
#ifndef QUOTA_H
#define QUOTA_H
#include <stdint.h>

struct quota;

struct quota *quota_new(uint32_t limit);
void quota_delete(struct quota *q);
/* 0, or -EDQUOT. */
int quota_charge(struct quota *q, uint32_t blocks);
/* How many were given back: no more than are charged. */
uint32_t quota_release(struct quota *q, uint32_t blocks);
uint32_t quota_used(const struct quota *q);
#endif
