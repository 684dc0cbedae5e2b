/* A message that is posted first and written afterwards
 * cause:    publication before initialization, through an atomic pointer
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct message {
    int length;
};
static struct message first;
static struct message *_Atomic mail;

static void *sender(void *arg)
{
    atomic_store(&mail, &first);
    first.length = 5; /* B */
    return arg;
}

static void *receiver(void *arg)
{
    struct message *m = atomic_load(&mail);
    if (m)
        assert(m->length == 5); /* A */
    return arg;
}

int main(void)
{
    pthread_t s, r;
    pthread_create(&s, NULL, sender, NULL);
    pthread_create(&r, NULL, receiver, NULL);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    return 0;
}
