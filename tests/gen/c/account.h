/* Accounts, and money that goes from one to the other.
 * bug: account_move locks the giver first, so two moves in opposite directions wait for each other.
 * kind: deadlock */
#ifndef ACCOUNT_H
#define ACCOUNT_H
struct account;
struct account *account_open(int balance);
void account_close(struct account *a);
int account_move(struct account *from, struct account *to, int amount);
int account_balance(const struct account *a);
#endif
