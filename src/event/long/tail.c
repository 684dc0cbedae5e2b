/* tail.c: see tail.h. */
#include "event/long/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Not one of the standard descriptors, should these be closed. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > 2)
        return fd < 0 ? -errno : fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 3), e = errno;
    close(fd);
    return high < 0 ? -e : high;
}

int hd_tail_file(void)
{
    const char *dir[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int fd = -1;
    for (u32 i = 0; i < HD_COUNT(dir) && fd < 0; i++)
        if (dir[i] && dir[i][0] == '/')
            fd = open(dir[i], O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd < 0)
        fd = memfd_create("heddle-schedule", MFD_CLOEXEC);
    return above_standard(fd);
}

void hd_tail_release(struct hd_tail *t)
{
    if (t->fd > 0)
        close(t->fd);
    *t = (struct hd_tail){0};
}

int hd_tail_copy(struct hd_tail *to, const struct hd_tail *from)
{
    *to = *from;
    if (from->fd <= 0)
        return 0;
    to->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 3);
    if (to->fd > 0)
        return 0;
    int e = -errno;
    *to = (struct hd_tail){0};
    return e;
}

/* ---- writing --------------------------------------------------------------------- */

void hd_tail_begin(struct hd_tail_writer *w)
{
    w->t = (struct hd_tail){0};
    w->error = 0;
    w->used = 0;
}

static void flush(struct hd_tail_writer *w)
{
    if (!w->t.fd && !w->error) {
        int fd = hd_tail_file();
        w->error = fd < 0 ? fd : 0;
        w->t.fd = fd < 0 ? 0 : fd;
    }
    for (u32 at = 0; at < w->used && !w->error;) {
        ssize_t k = pwrite(w->t.fd, w->buf + at, w->used - at, (off_t)w->t.bytes);
        if (k < 0 && errno != EINTR)
            w->error = -errno;
        at += k > 0 ? (u32)k : 0;
        w->t.bytes += k > 0 ? (u64)k : 0;
    }
    w->used = 0;
}

void hd_tail_add(struct hd_tail_writer *w, const struct hd_choice *c, u64 check)
{
    if (sizeof w->buf - w->used < HD_PACKED_MOST)
        flush(w);
    w->used += hd_packed_put(w->buf + w->used, c, check);
    w->t.n++;
}

int hd_tail_end(struct hd_tail_writer *w, struct hd_tail *t)
{
    if (w->used)
        flush(w);
    if (w->error)
        hd_tail_release(&w->t);
    *t = w->t;
    return w->error;
}

/* ---- reading --------------------------------------------------------------------- */

static u32 read_file(void *self, u64 at, u8 *to, u32 n)
{
    const struct hd_tail *t = self;
    ssize_t k;
    while ((k = pread(t->fd, to, n, (off_t)at)) < 0 && errno == EINTR)
        ;
    return k > 0 ? (u32)k : 0;
}

void hd_tail_reader_init(struct hd_tail_reader *r, const struct hd_tail *t)
{
    r->read = read_file;
    r->self = (void *)t;
    r->next = r->at = r->have = 0;
    r->bytes = t->fd > 0 ? t->bytes : 0;
}

static void refill(struct hd_tail_reader *r)
{
    r->have -= r->at;
    memmove(r->buf, r->buf + r->at, r->have);
    r->at = 0;
    while (r->have < sizeof r->buf && r->next < r->bytes) {
        u32 want = (u32)HD_MIN((u64)sizeof r->buf - r->have, r->bytes - r->next);
        u32 n = HD_MIN(r->read(r->self, r->next, r->buf + r->have, want), want);
        if (!n)
            r->bytes = r->next; /* there is no more, whatever was said */
        r->have += n;
        r->next += n;
    }
}

bool hd_tail_next(struct hd_tail_reader *r, struct hd_choice *c, u64 *check)
{
    if (r->have - r->at < HD_PACKED_MOST && r->next < r->bytes)
        refill(r);
    u32 n = hd_packed_get(r->buf + r->at, r->have - r->at, c, check);
    r->at += n;
    return n;
}
