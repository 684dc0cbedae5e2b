/* Many threads one after the other, and many at a time
 * text:   ids and storage of joined threads can be used again
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *user(void *arg)
{
    OK(pthread_mutex_lock(&m));
    n++;
    OK(pthread_mutex_unlock(&m));
    return arg;
}

int main(void)
{
    pthread_t t[20];
    for (int i = 0; i < 60; i++)
        TRUE(join(start(user, &n)) == &n);
    for (int i = 0; i < 20; i++)
        t[i] = start(user, &t[i]);
    for (int i = 0; i < 20; i++)
        TRUE(join(t[i]) == &t[i]);
    IS(n, 80);
    return 0;
}
