/* Thread names: 15 characters, ERANGE beyond
 * text:   a name has at most 16 bytes with its end; a buffer that is too small is ERANGE;
 *         a new thread has its creator's name
 * expect: exit 0
 */
#include "check.h"

static pthread_barrier_t both;

static void *user(void *arg)
{
    char name[32];
    OK(pthread_getname_np(pthread_self(), name, sizeof name));
    OK(strcmp(name, "boss"));
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    OK(pthread_getname_np(pthread_self(), name, sizeof name));
    OK(strcmp(name, "fifteen-letters"));
    return NULL;
}

int main(void)
{
    char name[32];
    OK(pthread_barrier_init(&both, NULL, 2));
    OK(pthread_setname_np(pthread_self(), "boss"));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&both);
    IS(pthread_setname_np(t, "sixteen-letters!"), ERANGE);
    OK(pthread_setname_np(t, "fifteen-letters"));
    OK(pthread_getname_np(t, name, 16));
    OK(strcmp(name, "fifteen-letters"));
    IS(pthread_getname_np(t, name, 5), ERANGE);
    OK(pthread_getname_np(pthread_self(), name, sizeof name));
    OK(strcmp(name, "boss"));
    pthread_barrier_wait(&both);
    join(t);
    return 0;
}
