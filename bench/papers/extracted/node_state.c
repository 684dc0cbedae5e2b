/* Order: a node is put into the list before its state is set; who finds it there too early
 * sees none.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static struct node { atomic_int state; } node;
static struct node *_Atomic list;

static void *create(void *arg)
{
    list = &node;
    node.state = 1;
    work(WORK);
    return arg;
}

static void *visit(void *arg)
{
    struct node *n = list;
    if (n)
        assert(n->state == 1);
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(create), b = start(visit);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
