/* A set of small numbers, one bit each.
 * bug: bitset_clear changes a word in two steps while others change other bits of it: one change
 * is lost.
 * kind: result */
#ifndef BITSET_H
#define BITSET_H
#include <stdbool.h>
typedef struct bitset bitset_t;
bitset_t *bitset_create(unsigned bits);
void bitset_destroy(bitset_t *b);
bool bitset_set(bitset_t *b, unsigned i); /* was it a member before? */
bool bitset_clear(bitset_t *b, unsigned i);
bool bitset_test(const bitset_t *b, unsigned i);
unsigned bitset_count(const bitset_t *b);
#endif
