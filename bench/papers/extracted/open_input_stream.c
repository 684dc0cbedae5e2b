/* Deadlock: a stream that is opened waits for its channel with the monitor of the channel
 * held, and the channel asks for the monitor of the stream; three threads.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static pthread_mutex_t stream = PTHREAD_MUTEX_INITIALIZER, channel = PTHREAD_MUTEX_INITIALIZER,
                       cache = PTHREAD_MUTEX_INITIALIZER;
static int opened;

static void both(pthread_mutex_t *a, pthread_mutex_t *b)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    opened++;
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}

static void *open_stream(void *arg)
{
    both(&channel, &stream);
    work(WORK);
    return arg;
}

static void *on_data(void *arg)
{
    both(&stream, &channel);
    work(WORK);
    return arg;
}

static void *evict(void *arg)
{
    pthread_mutex_lock(&cache);
    opened += 0;
    pthread_mutex_unlock(&cache);
    work(1);
    return arg;
}

int main(void)
{
    pthread_t a = start(open_stream), b = start(on_data), c = start(evict);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
