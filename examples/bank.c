/* bank.c: two tellers move money between two accounts. Every account has its
 * lock, and every access holds it; still, now and then money disappears.
 *
 * Build:  gcc -g -fsanitize=thread examples/bank.c -o bank
 * Try:    ./bank                 passes, nearly always
 * Test:   heddle test -- ./bank  finds the order in which it fails
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 1000};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 1000};

static long balance_of(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    long n = a->balance;
    pthread_mutex_unlock(&a->lock);
    return n;
}

static void set_balance(struct account *a, long n)
{
    pthread_mutex_lock(&a->lock);
    a->balance = n;
    pthread_mutex_unlock(&a->lock);
}

/* The mistake: between reading and writing, the lock is given up. Another
 * teller can come in between, and what it did to the account is lost. */
static void transfer(struct account *from, struct account *to, long amount)
{
    set_balance(from, balance_of(from) - amount);
    set_balance(to, balance_of(to) + amount);
}

static void *teller(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        transfer(&savings, &current, 10);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, teller, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    long total = savings.balance + current.balance;
    printf("savings %ld, current %ld, together %ld\n", savings.balance, current.balance, total);
    assert(total == 2000);
    return 0;
}
