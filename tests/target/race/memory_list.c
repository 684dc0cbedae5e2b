/* Who puts its node first decides how nodes are linked, not which there are
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    same
 */
#include <stdlib.h>

#include "threads.h"

struct node {
    struct node *next;
    int value;
};
static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int began;

static void *one(void *arg)
{
    struct node *n = malloc(sizeof *n);
    n->value = arg ? 1 : 2;
    began = 1; /* R1 */
    pthread_mutex_lock(&lock);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, one, &head);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    puts("done");
    return 0;
}
