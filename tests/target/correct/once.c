/* A table made once by whoever comes first
 * cause:    none: pthread_once orders the making before every use
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[4], made;

static void make(void)
{
    made++;
    for (int i = 0; i < 4; i++)
        table[i] = 10 * i;
}

static void *user(void *arg)
{
    pthread_once(&once, make);
    assert(table[(long)arg] == 10 * (long)arg);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, user, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(made == 1);
    return 0;
}
