/* An object that counts its references.
 * bug: node_unref counts down and looks in two steps: two threads free it, or none does.
 * kind: heap */
#ifndef REFCOUNT_H
#define REFCOUNT_H
struct node;
struct node *node_new(int value);
struct node *node_ref(struct node *n);
void node_unref(struct node *n);
int node_value(const struct node *n);
#endif
