/* Two threads lose an update, main does not wait for them
 * cause:    unlocked counter; the process ends when main returns
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <assert.h>
#include <pthread.h>

static int counter, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
    for (int i = 0; i < 3; i++)
        counter++;
    pthread_mutex_lock(&lock);
    if (++done == 2)
        assert(counter == 6);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, NULL, add, NULL);
        pthread_detach(t);
    }
    return 0;
}
