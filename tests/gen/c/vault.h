/* Coins in vaults, each with a lock of its own.
 * bug: vault_move takes the locks of both in the order it was given them.
 * kind: deadlock */
#ifndef VAULT_H
#define VAULT_H
struct vault;
struct vault *vault_new(int coins);
void vault_free(struct vault *v);
int vault_put(struct vault *v, int coins);
/* So many from one to the other, or 0 if there are not enough. */
int vault_move(struct vault *from, struct vault *to, int coins);
int vault_coins(const struct vault *v);
#endif
