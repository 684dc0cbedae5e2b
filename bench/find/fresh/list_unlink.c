/* A list with a lock for each node; removal takes one of the two it needs
 * cause:    a removal is lost
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assertion
 * budget:   300 runs
 */
#include <assert.h>
#include <pthread.h>

struct node {
    pthread_mutex_t lock;
    struct node *volatile next;
    int key;
};
static struct node node[5];

static void removes(int key)
{
    struct node *before = &node[0];
    while (before->next && before->next->key != key)
        before = before->next;
    pthread_mutex_lock(&before->lock);
    if (before->next && before->next->key == key)
        before->next = before->next->next;
    pthread_mutex_unlock(&before->lock);
}

static void *client(void *arg)
{
    removes((int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 5; i++) {
        pthread_mutex_init(&node[i].lock, NULL);
        node[i].key = i;
        node[i].next = i < 4 ? &node[i + 1] : NULL;
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, (void *)(i + 2));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (struct node *n = node[0].next; n; n = n->next)
        assert(n->key != 2 && n->key != 3);
    return 0;
}
