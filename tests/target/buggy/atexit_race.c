/* An exit handler that closes the log under a thread that still writes
 * cause:    atexit handler against a detached thread
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   1000 runs
 * strategy: pct,pos,random
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>
#include <stdlib.h>

struct log {
    int lines;
};
static struct log file;
static struct log *log_file = &file;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_over;

static void say_goodbye(void)
{
    pthread_mutex_lock(&m);
    is_over = 1;
    pthread_mutex_unlock(&m);
}

static void close_log(void)
{
    pthread_mutex_lock(&m);
    log_file = NULL; /* A */
    pthread_mutex_unlock(&m);
}

static void *write_line(void *arg)
{
    pthread_mutex_lock(&m);
    log_file->lines++; /* B */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t background, t;
    atexit(say_goodbye);
    atexit(close_log); /* the first to run */
    pthread_create(&background, NULL, write_line, NULL);
    pthread_detach(background);
    pthread_create(&t, NULL, write_line, NULL);
    pthread_join(t, NULL);
    return 0; /* without waiting for the other one */
}
