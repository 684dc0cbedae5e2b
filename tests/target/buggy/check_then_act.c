/* A register of names in which one name appears twice
 * cause:    look-up and insertion are each locked, the pair of them is not
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int keys[8], n_keys;

static int contains(int key)
{
    int found = 0;
    pthread_mutex_lock(&m);
    for (int i = 0; i < n_keys; i++) /* A */
        found |= keys[i] == key;
    pthread_mutex_unlock(&m);
    return found;
}

static void insert(int key)
{
    pthread_mutex_lock(&m);
    keys[n_keys++] = key; /* B */
    pthread_mutex_unlock(&m);
}

static void *add_once(void *arg)
{
    if (!contains(7))
        insert(7);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add_once, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(n_keys == 1);
    return 0;
}
