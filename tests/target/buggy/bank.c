/* An audit that meets money on its way
 * cause:    transfer in two critical sections: the sum is wrong between them
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   exit
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t m;
    long balance;
};
static struct account giro = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 0};

static void add(struct account *a, long amount)
{
    pthread_mutex_lock(&a->m);
    a->balance += amount;
    pthread_mutex_unlock(&a->m);
}

static void *transfer(void *arg)
{
    add(&giro, -40);
    add(&savings, 40); /* B */
    return arg;
}

/* both locks, so that the sum is taken at one moment */
static void *audit(void *arg)
{
    pthread_mutex_lock(&giro.m);
    pthread_mutex_lock(&savings.m);
    long total = giro.balance + savings.balance; /* A */
    pthread_mutex_unlock(&savings.m);
    pthread_mutex_unlock(&giro.m);
    return (void *)total;
}

int main(void)
{
    pthread_t t, a;
    void *total;
    pthread_create(&t, NULL, transfer, NULL);
    pthread_create(&a, NULL, audit, NULL);
    pthread_join(t, NULL);
    pthread_join(a, &total);
    if ((long)total != 100) {
        fprintf(stderr, "audit: %ld instead of 100\n", (long)total);
        return 1;
    }
    return 0;
}
