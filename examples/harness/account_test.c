/* account_test.c: an account that must not go below zero. withdraw looks and takes in two steps.
 * The check is against a model: what an account means, in five lines. */
#include <heddle/heddle.h>
#include <stdatomic.h>

static atomic_int balance;

static int *open_account(void)
{
    balance = 3;
    return (int *)&balance;
}

static int withdraw(int amount)
{
    if (balance < amount) /* look, */
        return 0;
    balance -= amount; /* then take */
    return 1;
}

static long long model(void *state, const char *op, const int *arg)
{
    int *taken = state;
    if (op[0] == 'b')
        return 3 - *taken;
    if (3 - *taken < arg[0])
        return 0;
    *taken += arg[0];
    return 1;
}

HEDDLE_OBJECT(int *account, open_account(), *account = 0);
HEDDLE_OP(withdraw, int, (int amount), withdraw(amount));
HEDDLE_OP(balance, int, (), *account);
HEDDLE_SPEC(model);
