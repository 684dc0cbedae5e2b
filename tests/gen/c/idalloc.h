/* Hands out small numbers.
 * bug: a free number is looked for under one lock and taken under a second: it is given twice.
 * kind: result */
#ifndef IDALLOC_H
#define IDALLOC_H
typedef struct ids ids_t;
int ids_create(ids_t **out, unsigned max);
void ids_destroy(ids_t *ids);
int ids_take(ids_t *ids);            /* -1: all are taken */
int ids_give(ids_t *ids, int id);    /* -1: it was not taken */
int ids_is_taken(const ids_t *ids, int id);
#endif
