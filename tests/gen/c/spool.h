/* Lines to be printed, kept in one buffer that grows.
 * bug: spool_last reads the line after it has given the lock back; a spool_add that lets the buffer grow has freed it by then.
 * kind: heap */
#ifndef SPOOL_H
#define SPOOL_H
struct spool;
struct spool *spool_new(void);
void spool_free(struct spool *s);
/* How many lines there are now. */
int spool_add(struct spool *s, int line);
/* The last line, -1 = there is none. */
int spool_last(struct spool *s);
/* Takes the first one out, -1 = there is none. */
int spool_print(struct spool *s);
int spool_count(const struct spool *s);
#endif
