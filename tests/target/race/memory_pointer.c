/* Whoever comes last says where its block is; both blocks hold the same
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
static struct node *head, *kept[2];

static void *one(void *arg)
{
    struct node *n = malloc(sizeof *n);
    n->value = 7;
    n->next = NULL;
    head = n; /* R1 */
    kept[arg != NULL] = n;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, one, &head);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    puts(head ? "set" : "not set");
    return 0;
}
