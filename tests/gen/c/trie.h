/* Words, found by how they begin.
 * bug: trie_add looks for the child without the lock, and makes one that another call has made.
 * kind: result */
#ifndef TRIE_H
#define TRIE_H
struct trie;
struct trie *trie_new(void);
void trie_free(struct trie *t);
/* 1 = it is new. Words of the letters a and b. */
int trie_add(struct trie *t, const char *word);
int trie_has(const struct trie *t, const char *word);
/* Words that begin like this. */
int trie_count(const struct trie *t, const char *prefix);
#endif
