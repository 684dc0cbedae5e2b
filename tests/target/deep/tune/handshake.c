/* A connection that was reset is taken for established
 * cause:    the reset looks at one half of the state only, the other is set behind its back
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads; five messages, each must be overtaken by a timer in its own way
 */
#include <assert.h>
#include <pthread.h>

enum { CLOSED, HELLO, KEYS, PROVEN, READY, OPEN };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int client, server, resets;

static int get(int *what)
{
    pthread_mutex_lock(&lock);
    int v = *what;
    pthread_mutex_unlock(&lock);
    return v;
}

static void set(int *what, int v)
{
    pthread_mutex_lock(&lock);
    *what = v;
    pthread_mutex_unlock(&lock);
}

/* A message that finds the other side elsewhere is dropped. */
static void *calling(void *arg)
{
    if (get(&server) == CLOSED)
        set(&client, HELLO);
    if (get(&server) == HELLO)
        set(&client, KEYS);
    if (get(&server) == KEYS)
        set(&client, PROVEN);
    if (get(&server) == PROVEN)
        set(&client, READY);
    if (get(&server) == READY)
        set(&client, OPEN);
    return arg;
}

static void *answering(void *arg)
{
    if (get(&client) == HELLO)
        set(&server, HELLO);
    if (get(&client) == KEYS)
        set(&server, KEYS);
    if (get(&client) == PROVEN)
        set(&server, PROVEN);
    if (get(&client) == READY)
        set(&server, READY);
    if (get(&client) == OPEN)
        set(&server, OPEN);
    return arg;
}

static void *timer(void *arg)
{
    for (int i = 0; i < 6; i++) {
        int c = get(&client), s = get(&server);
        if (c == OPEN && s == READY) { /* at last: too late to stop it */
            set(&client, CLOSED);
            resets++;
        } else if (c > s + 1) {
            set(&client, CLOSED);
            set(&server, CLOSED);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, calling, NULL);
    pthread_create(&t[1], NULL, answering, NULL);
    pthread_create(&t[2], NULL, timer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!(resets && server == OPEN));
    return 0;
}
