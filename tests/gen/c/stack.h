/* A stack of numbers.
 * bug: stack_pop reads the top before it takes the lock: two pops give the same number.
 * kind: result */
#ifndef STACK_H
#define STACK_H
struct stack;
struct stack *stack_create(void);
void stack_destroy(struct stack *s);
int stack_push(struct stack *s, int value);
int stack_pop(struct stack *s); /* -1: it is empty */
int stack_depth(const struct stack *s);
#endif
