/* tail.h: the packed entries of a long schedule (record.h) in the host: a file without a name,
 * so that memory does not grow with the length of a run. Bytes may come from a target: reading
 * ends at the first that are no choice.
 */
#ifndef HD_TAIL_H
#define HD_TAIL_H

#include "event/record.h"

/* Zeroed: there are none. */
struct hd_tail {
    int fd;    /* 0 = none */
    u64 bytes; /* ... of the file, from its beginning */
    u64 n;     /* entries */
};

/* A new file that nobody else can open, in $TMPDIR, /var/tmp, /tmp or memory; above 2. Or
 * negative errno. */
int hd_tail_file(void);
void hd_tail_release(struct hd_tail *t);
/* The same file: nobody changes it once it is complete. 0 or negative errno. */
int hd_tail_copy(struct hd_tail *to, const struct hd_tail *from);

/* One by one: begin, add ..., end. Errors are kept for the end, 0 or negative errno; then *t
 * is empty. */
struct hd_tail_writer {
    struct hd_tail t;
    int error;
    u32 used;
    u8 buf[1 << 14];
};
void hd_tail_begin(struct hd_tail_writer *w);
void hd_tail_add(struct hd_tail_writer *w, const struct hd_choice *c, u64 check);
int hd_tail_end(struct hd_tail_writer *w, struct hd_tail *t);

/* `read`: gives up to n bytes from position `at`; how many. */
struct hd_tail_reader {
    u32 (*read)(void *self, u64 at, u8 *to, u32 n);
    void *self;
    u64 next, bytes; /* position of what is read next; behind the last */
    u32 at, have;
    u8 buf[1 << 14];
};
void hd_tail_reader_init(struct hd_tail_reader *r, const struct hd_tail *t);
/* False: that was the last one, or the next makes no sense. check 0: not known. */
bool hd_tail_next(struct hd_tail_reader *r, struct hd_choice *c, u64 *check);

#endif
