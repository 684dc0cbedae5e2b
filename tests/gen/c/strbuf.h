/* Text that grows.
 * bug: strbuf_add gets room before it takes the lock for the copy: it writes into freed memory.
 * kind: heap */
#ifndef STRBUF_H
#define STRBUF_H
#include <stddef.h>
struct strbuf;
struct strbuf *strbuf_new(void);
void strbuf_free(struct strbuf *b);
void strbuf_add(struct strbuf *b, const char *text);
size_t strbuf_copy(const struct strbuf *b, char *to, size_t size);
size_t strbuf_length(const struct strbuf *b);
#endif
