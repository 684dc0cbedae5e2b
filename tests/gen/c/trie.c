#include "trie.h"

#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *child[2];
    int is_word;
};

struct trie {
    pthread_mutex_t lock;
    struct node root;
};

struct trie *trie_new(void)
{
    struct trie *t = calloc(1, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

static void release(struct node *n)
{
    for (int i = 0; i < 2; i++)
        if (n->child[i]) {
            release(n->child[i]);
            free(n->child[i]);
        }
}

void trie_free(struct trie *t)
{
    release(&t->root);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

int trie_add(struct trie *t, const char *word)
{
    struct node *at = &t->root;
    for (; *word; word++) {
        struct node **child = &at->child[*word & 1];
#ifdef FIXED
        pthread_mutex_lock(&t->lock);
        if (!*child)
            *child = calloc(1, sizeof **child);
        at = *child;
        pthread_mutex_unlock(&t->lock);
#else
        pthread_mutex_lock(&t->lock);
        struct node *known = *child;
        pthread_mutex_unlock(&t->lock);
        if (!known) { /* bug */
            known = calloc(1, sizeof *known);
            pthread_mutex_lock(&t->lock);
            *child = known;
            pthread_mutex_unlock(&t->lock);
        }
        at = known;
#endif
    }
    pthread_mutex_lock(&t->lock);
    int is_new = !at->is_word;
    at->is_word = 1;
    pthread_mutex_unlock(&t->lock);
    return is_new;
}

static const struct node *find(const struct trie *t, const char *word)
{
    const struct node *at = &t->root;
    for (; *word && at; word++)
        at = at->child[*word & 1];
    return at;
}

static int count(const struct node *n)
{
    return n ? n->is_word + count(n->child[0]) + count(n->child[1]) : 0;
}

int trie_has(const struct trie *t, const char *word)
{
    pthread_mutex_lock((pthread_mutex_t *)&t->lock);
    const struct node *n = find(t, word);
    int is = n && n->is_word;
    pthread_mutex_unlock((pthread_mutex_t *)&t->lock);
    return is;
}

int trie_count(const struct trie *t, const char *prefix)
{
    pthread_mutex_lock((pthread_mutex_t *)&t->lock);
    int n = count(find(t, prefix));
    pthread_mutex_unlock((pthread_mutex_t *)&t->lock);
    return n;
}
