/* Records that are only ever added; readers copy them out.
 * bug: journal_append counts the record before its bytes are there: a reader gets an empty one.
 * kind: result */
#ifndef JOURNAL_H
#define JOURNAL_H
#include <stddef.h>
struct journal;
int journal_open(struct journal **out);
void journal_close(struct journal *j);
/* Number of the record, -1 = it is full. */
int journal_append(struct journal *j, const void *data, size_t size);
/* Bytes of record `number`, at most `size` of them copied; -1 = there is none. */
int journal_read(struct journal *j, int number, char *buf, size_t size);
int journal_length(const struct journal *j);
#endif
