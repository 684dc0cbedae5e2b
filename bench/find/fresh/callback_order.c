/* An observer that is told under one lock and removed under another
 * cause:    locks in two orders, through a callback
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   300 runs
 */
#include <pthread.h>

static pthread_mutex_t subject = PTHREAD_MUTEX_INITIALIZER, view = PTHREAD_MUTEX_INITIALIZER;
static void (*observer)(int);
static int shown, value, is_closed;

static void show(int v)
{
    pthread_mutex_lock(&view);
    shown = v;
    pthread_mutex_unlock(&view);
}

static void *changes(void *arg)
{
    for (int i = 1; i < 4; i++) {
        pthread_mutex_lock(&subject);
        value = i;
        if (observer && value == 3)
            observer(value);
        pthread_mutex_unlock(&subject);
    }
    return arg;
}

static void *closes(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&view);
        is_closed = i == 2;
        if (is_closed) {
            pthread_mutex_lock(&subject);
            observer = NULL;
            pthread_mutex_unlock(&subject);
        }
        pthread_mutex_unlock(&view);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    observer = show;
    pthread_create(&a, NULL, changes, NULL);
    pthread_create(&b, NULL, closes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shown < 0;
}
