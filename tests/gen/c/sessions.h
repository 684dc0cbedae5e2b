/* Sessions with numbers; each table has a number of its own in the process, from a global.
 * bug: sessions_close frees what it found after it gave the lock away: two callers free it.
 * kind: heap */
#ifndef SESSIONS_H
#define SESSIONS_H
struct sessions;
struct sessions *sessions_create(void);
void sessions_destroy(struct sessions *s);
/* The number of the new session, from 1; 0 = full. */
int sessions_open(struct sessions *s);
/* 0, or -1: there is none. */
int sessions_close(struct sessions *s, int number);
int sessions_count(const struct sessions *s);
/* Of the table. */
int sessions_number(const struct sessions *s);
#endif
