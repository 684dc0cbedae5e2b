/* A reader that upgrades its lock gets in while a writer waits in line
 * cause:    the upgrade compares a word whose count of readers came back to what it was
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh); of random
 *           2 in 300,000 at DEPTH 12
 * shape:    three threads on one word; readers come and go under an upgrade that fails each time but
 *           is one step nearer
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 16
#endif
static atomic_int word, level, is_broken; /* word: readers; 100 = a writer */

static void *reader(void *arg)
{
    for (int i = 0; i < DEPTH; i++) {
        int w = word;
        if (w < 100 && atomic_compare_exchange_strong(&word, &w, w + 1)) {
            w = word;
            atomic_compare_exchange_strong(&word, &w, w - 1);
        }
    }
    return arg;
}

static void *upgrader(void *arg)
{
    for (int i = 0; i < DEPTH; i++) {
        int w = word;
        if (w == 1 && !atomic_compare_exchange_strong(&word, &w, 100)) {
            level = level + 1; /* somebody left meanwhile: more patience */
            if (level == DEPTH / 2)
                is_broken = 1;
        } else if (w == 1) {
            word = 0;
            level = 0;
        } else {
            level = 0;
        }
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {reader, reader, upgrader};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_broken);
    return 0;
}
