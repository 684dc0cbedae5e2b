/* maps.c: see maps.h. Lines are read one character at a time, so that one may lie
 * across two reads:
 *
 *   7f0c88a00000-7f0c88a01000 rw-s 00000000 00:01 1034   /dev/zero (deleted)
 */
#include "runtime/libc/maps.h"

#include <sys/shm.h>

#include "runtime/core/gate.h"
#include "runtime/libc/sys.h"

#define MAX_SHARED 1024

struct line {
    enum { IN_START, IN_END, IN_PERMS, IN_OFFSET, IN_DEVICE, IN_INODE, IN_NAME } where;
    u32 column;     /* of the permissions, of the name */
    char name[16];  /* its beginning */
    char tail[12];  /* the last characters */
    struct hd_mapping m;
};

static u64 digit(char c) { return (u64)(c <= '9' ? c - '0' : c - 'a' + 10); }

static void put_name(struct line *l, char c)
{
    if (c == ' ' && !l->column)
        return;
    if (l->column < sizeof l->name)
        l->name[l->column] = c;
    l->column++;
    hd_memmove(l->tail, l->tail + 1, sizeof l->tail - 1);
    l->tail[sizeof l->tail - 1] = c;
}

static bool begins(const struct line *l, const char *with)
{
    size_t n = hd_strlen(with);
    return l->column >= n && !hd_memcmp(l->name, with, n);
}

static u8 kind_of(const struct line *l)
{
    bool is_deleted = !hd_memcmp(l->tail + 2, " (deleted)", 10);
    if (!l->column || (is_deleted && begins(l, "/dev/zero")))
        return HD_MAPPING_ANONYMOUS;
    return begins(l, "/SYSV") ? HD_MAPPING_SYSV : is_deleted ? HD_MAPPING_DELETED : HD_MAPPING_FILE;
}

/* True at the end of a line: l->m is complete. */
static bool put(struct line *l, char c)
{
    bool is_blank = c == ' ';
    if (c == '\n') {
        l->m.kind = kind_of(l);
        return true;
    }
    switch (l->where) {
    case IN_START:
        if (c == '-')
            l->where = IN_END;
        else
            l->m.start = l->m.start << 4 | digit(c);
        break;
    case IN_END:
        if (is_blank)
            l->where = IN_PERMS;
        else
            l->m.end = l->m.end << 4 | digit(c);
        break;
    case IN_PERMS:
        l->m.is_shared |= l->column++ == 3 && c == 's';
        if (is_blank) {
            l->where = IN_OFFSET;
            l->column = 0;
        }
        break;
    case IN_OFFSET:
        l->where += is_blank;
        break;
    case IN_DEVICE:
        if (is_blank)
            l->where = IN_INODE;
        else if (c != ':')
            l->m.device = l->m.device << 4 | digit(c);
        break;
    case IN_INODE:
        if (is_blank)
            l->where = IN_NAME;
        else
            l->m.inode = l->m.inode * 10 + digit(c);
        break;
    case IN_NAME:
        put_name(l, c);
        break;
    }
    return false;
}

/* Calls `each` for the mappings of a process until it says true. */
static bool read_maps(const char *path, bool (*each)(const struct hd_mapping *, void *), void *arg)
{
    long fd = hd_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n;
    if (fd < 0)
        return false;
    struct line l = {.where = IN_START};
    bool is_done = false;
    char text[2048];
    while (!is_done && (n = hd_sys(SYS_read, fd, text, sizeof text)) > 0)
        for (long i = 0; i < n && !is_done; i++)
            if (put(&l, text[i])) {
                is_done = each(&l.m, arg);
                l = (struct line){.where = IN_START};
            }
    hd_sys(SYS_close, fd);
    return is_done;
}

/* ---- this process ------------------------------------------------------------- */

static bool is_around(const struct hd_mapping *m, void *arg)
{
    struct hd_mapping *out = arg;
    if (out->start - m->start >= m->end - m->start)
        return false;
    *out = *m;
    return true;
}

bool hd_maps_find(u64 addr, struct hd_mapping *out)
{
    out->start = addr;
    return read_maps("/proc/self/maps", is_around, out);
}

static struct hd_mapping shared[MAX_SHARED];
static u32 n_shared;

static bool keep_shared(const struct hd_mapping *m, void *arg)
{
    if (m->is_shared)
        shared[n_shared++] = *m;
    return n_shared == MAX_SHARED;
}

void hd_maps_load(void)
{
    n_shared = 0;
    read_maps("/proc/self/maps", keep_shared, NULL);
}

bool hd_maps_loaded(u64 addr, struct hd_mapping *out)
{
    for (u32 i = 0; i < n_shared; i++)
        if (addr - shared[i].start < shared[i].end - shared[i].start) {
            *out = shared[i];
            return true;
        }
    return false;
}

/* ---- others --------------------------------------------------------------------- */

static bool is_same_file(const struct hd_mapping *m, void *arg)
{
    const struct hd_mapping *want = arg;
    return m->is_shared && m->device == want->device && m->inode == want->inode;
}

static bool process_has(const char *pid, const struct hd_mapping *m)
{
    char path[64] = "/proc/";
    size_t at = hd_strlen(path), n = hd_strlen(pid);
    if (n > 20)
        return false;
    hd_memcpy(path + at, pid, n);
    hd_memcpy(path + at + n, "/maps", 6);
    return read_maps(path, is_same_file, (void *)m);
}

static u64 number(const char *text)
{
    u64 value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + digit(*text);
    return value;
}

static bool any_process_has(const struct hd_mapping *m)
{
    struct entry {
        u64 inode, offset;
        u16 length;
        u8 type;
        char name[];
    };
    char text[4096];
    u64 self = (u64)hd_sys(SYS_getpid, 0), parent = (u64)hd_sys(SYS_getppid, 0);
    long fd = hd_sys(SYS_open, "/proc", O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0), n;
    bool is_found = false;
    while (!is_found && fd >= 0 && (n = hd_sys(SYS_getdents64, fd, text, sizeof text)) > 0)
        for (long i = 0; i < n && !is_found;) {
            const struct entry *e = (const struct entry *)(text + i);
            u64 pid = number(e->name);
            is_found = pid && pid != self && pid != parent && process_has(e->name, m);
            i += e->length;
        }
    if (fd >= 0)
        hd_sys(SYS_close, fd);
    return is_found;
}

bool hd_maps_is_elsewhere(const struct hd_mapping *m)
{
    struct shmid_ds ds;
    switch (m->kind) {
    case HD_MAPPING_SYSV: /* the inode is the identifier */
        return hd_sys(SYS_shmctl, (int)m->inode, IPC_STAT, &ds) < 0 || ds.shm_nattch > 1;
    case HD_MAPPING_FILE: return any_process_has(m);
    default: return false;
    }
}
