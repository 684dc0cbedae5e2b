/* Of the kind of Maple's bug 12, an assertion in a server and client on Intel's Concurrent Collections:
 * neither the program nor its cause is public. Here the environment puts the tag that prescribes a
 * step before the item that the step gets, and the step, which should be tried again later, takes it as there.
 * With an argument, another input: all are put in the right order.
 *   build: gcc -g -O1 -pthread -fsanitize=thread
 *   expect: assert
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { TAGS = 6, STEPS = 2 };

static pthread_mutex_t tag_lock = PTHREAD_MUTEX_INITIALIZER, item_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_tag = PTHREAD_COND_INITIALIZER;
static int tag[TAGS], n_tags, n_taken, item[TAGS];
static atomic_int results;

static void put_tag(int t)
{
    pthread_mutex_lock(&tag_lock);
    tag[n_tags++] = t;
    pthread_cond_signal(&has_tag);
    pthread_mutex_unlock(&tag_lock);
}

static void put_item(int t, int value)
{
    pthread_mutex_lock(&item_lock);
    item[t] = value;
    pthread_mutex_unlock(&item_lock);
}

static int get_item(int t)
{
    pthread_mutex_lock(&item_lock);
    int value = item[t];
    pthread_mutex_unlock(&item_lock);
    return value;
}

static void *step(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&tag_lock);
        while (n_taken < TAGS && n_taken == n_tags)
            pthread_cond_wait(&has_tag, &tag_lock);
        int t = n_taken < TAGS ? tag[n_taken++] : -1;
        if (n_taken == TAGS)
            pthread_cond_broadcast(&has_tag);
        pthread_mutex_unlock(&tag_lock);
        if (t < 0)
            return arg;
        assert(t % 3 == 2 || get_item(t)); /* every third step gets nothing */
        results++;
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t s[STEPS];
    for (int i = 0; i < STEPS; i++)
        pthread_create(&s[i], NULL, step, NULL);
    for (int t = 0; t < TAGS; t++) {
        if (t != TAGS - 2 || argc > 1) { /* all but one are put in the right order */
            put_item(t, t + 1);
            put_tag(t);
        } else {
            put_tag(t);
            put_item(t, t + 1);
        }
    }
    for (int i = 0; i < STEPS; i++)
        pthread_join(s[i], NULL);
    return results == TAGS ? 0 : 1;
}
