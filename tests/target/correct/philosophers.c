/* Dining philosophers who take the lower fork first
 * cause:    none: locks in one order make no ring
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

#define SEATS 4
static pthread_mutex_t fork_at[SEATS];
static int meals[SEATS], uses[SEATS];

static void *philosopher(void *arg)
{
    int seat = (int)(long)arg, other = (seat + 1) % SEATS;
    int low = seat < other ? seat : other, high = seat < other ? other : seat;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&fork_at[low]);
        pthread_mutex_lock(&fork_at[high]);
        meals[seat]++;
        uses[low]++;
        uses[high]++;
        pthread_mutex_unlock(&fork_at[high]);
        pthread_mutex_unlock(&fork_at[low]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[SEATS];
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&fork_at[i], NULL);
    for (long i = 0; i < SEATS; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < SEATS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < SEATS; i++) {
        assert(meals[i] == 2 && uses[i] == 4);
        pthread_mutex_destroy(&fork_at[i]);
    }
    return 0;
}
