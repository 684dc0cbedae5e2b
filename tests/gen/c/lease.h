/* A thing that one owner at a time has, for some turns.
 * bug: lease_renew looks who has it, and prolongs it in another critical section: by then somebody else may have it.
 * kind: result */
#ifndef LEASE_H
#define LEASE_H
struct lease;
struct lease *lease_new(void);
void lease_free(struct lease *l);
/* 1: it is the owner's now; 0: somebody else has it. */
int lease_take(struct lease *l, unsigned owner);
/* The turns it has from now on; 0: it is not the owner's. */
int lease_renew(struct lease *l, unsigned owner, unsigned turns);
/* 1: it was the owner's and is free now. */
int lease_give_back(struct lease *l, unsigned owner);
/* Turns that are left, and by whom they are had: owner * 100 + turns. */
int lease_state(const struct lease *l);
#endif
