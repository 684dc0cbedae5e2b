/* A ring buffer that is resized while both ends wrap loses an entry
 * cause:    producer and consumer wrap in one pass of their loops each; the resize trusts both
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   1 of 200,000 random walks fails (odds.sh)
 * shape:    three threads in loops; pass 15 of one and pass 6 of another around a step of the third
 */
#include <assert.h>
#include <pthread.h>

enum { N = 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int head, tail, is_growing, lost;

static int at(int *what)
{
    pthread_mutex_lock(&lock);
    int v = *what;
    pthread_mutex_unlock(&lock);
    return v;
}

static void to(int *what, int v)
{
    pthread_mutex_lock(&lock);
    *what = v;
    pthread_mutex_unlock(&lock);
}

static void *producer(void *arg)
{
    for (int i = 1; i <= N; i++) {
        to(&head, i);
        if (i == 15 && at(&tail) == 6) { /* full */
            to(&is_growing, 1);
            if (at(&tail) == 6)
                to(&is_growing, 2);
        }
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 1; i <= N; i++)
        to(&tail, i);
    return arg;
}

static void *resizer(void *arg)
{
    for (int i = 0; i < 4; i++) {
        if (at(&is_growing) == 1 && at(&is_growing) == 2) {
            int h = at(&head), t = at(&tail);
            if (h == 15 && t > 6)
                lost = 1;
        }
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_create(&t[2], NULL, resizer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!lost);
    return 0;
}
