/* The reaper and the last close free the same session, late in the life of a server
 * cause: whether it is closed is looked at before the lock is taken
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 10000 requests, 10000 scans
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef WARM
#define WARM 10000
#endif

enum { SESSIONS = 4 };
struct session {
    atomic_int is_idle, is_closed;
    long requests;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *session[SESSIONS];
static atomic_int is_stopped;

static void close_session(int i)
{
    struct session *s = session[i];
    if (!s || atomic_exchange(&s->is_closed, 1)) /* BUG */
        return;
    pthread_mutex_lock(&lock);
    session[i] = NULL;
    pthread_mutex_unlock(&lock);
    free(s);
}

static void *reaper(void *arg)
{
    for (long n = 0; n < WARM && !atomic_load(&is_stopped); n++)
        for (int i = 0; i < SESSIONS; i++) {
            pthread_mutex_lock(&lock);
            int is_idle = session[i] && atomic_load(&session[i]->is_idle);
            pthread_mutex_unlock(&lock);
            if (is_idle)
                close_session(i);
        }
    return NULL;
}

static void request(int i)
{
    pthread_mutex_lock(&lock);
    session[i]->requests++;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < SESSIONS; i++)
        session[i] = calloc(1, sizeof *session[i]);
    pthread_create(&t, NULL, reaper, NULL);
    for (long n = 0; n < WARM; n++)
        request((int)(n % SESSIONS));
    atomic_store(&session[2]->is_idle, 1);
    close_session(2);
    atomic_store(&is_stopped, 1);
    pthread_join(t, NULL);
    for (int i = 0; i < SESSIONS; i++)
        free(session[i]);
    return 0;
}
