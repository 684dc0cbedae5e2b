/* A hit moves the entry to the front of the list, under the lock for readers
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include "threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry {
    struct entry *next;
    int key;
} entries[3] = {{&entries[1], 1}, {&entries[2], 2}, {NULL, 3}}, *first = entries;

static void hit(int key)
{
    pthread_rwlock_rdlock(&lock);
    for (struct entry *before = first; before && before->next; before = before->next)
        if (before->next->key == key) {
            struct entry *e = before->next;
            before->next = e->next;
            e->next = first;
            first = e; /* R1 */
            break;
        }
    pthread_rwlock_unlock(&lock);
}

static void *second(void *arg)
{
    hit(2);
    return arg;
}

static void *third(void *arg)
{
    hit(3);
    return arg;
}

int main(void)
{
    run_both(second, third);
    return 0;
}
