/* A value that is made when it is first asked for.
 * bug: whether it is there is looked at before the lock only: it is made twice.
 * kind: result */
#ifndef LAZY_H
#define LAZY_H
struct lazy;
struct lazy *lazy_new(void);
void lazy_free(struct lazy *l);
const void *lazy_get(struct lazy *l);
int lazy_made(const struct lazy *l); /* how often */
#endif
