/* A file scanner that never ends
 * cause:    the number of workers is set after the first of them were started; one that ends
 *           before counts down from zero, and main waits for ever
 * build:    gcc -g -O1 -fsanitize=thread
 * expect:   deadlock
 *
 * As pfscan with the late initialization of `aworkers`: workers take names from a queue, count
 * matches, and the last one wakes main.
 */
#include <pthread.h>

enum { WORKERS = 3, FILES = 6 };
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, done_lock = PTHREAD_MUTEX_INITIALIZER,
                       match_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_done = PTHREAD_COND_INITIALIZER;
static int next_file, matches, active;

static int take_file(void)
{
    pthread_mutex_lock(&queue_lock);
    int file = next_file < FILES ? next_file++ : -1;
    pthread_mutex_unlock(&queue_lock);
    return file;
}

static void *worker(void *arg)
{
    for (int file; (file = take_file()) >= 0;) {
        pthread_mutex_lock(&match_lock);
        matches += file % 2;
        pthread_mutex_unlock(&match_lock);
    }
    pthread_mutex_lock(&done_lock);
    if (!--active)
        pthread_cond_signal(&is_done);
    pthread_mutex_unlock(&done_lock);
    return arg;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    pthread_mutex_lock(&done_lock);
    active = WORKERS; /* BUG: some may have counted down already */
    while (active > 0)
        pthread_cond_wait(&is_done, &done_lock);
    pthread_mutex_unlock(&done_lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
