/* pshared.c: which objects other processes can see.
 *
 * An attribute PTHREAD_PROCESS_SHARED, or a futex call without the private
 * flag, only permits sharing. What decides is the mapping: private memory is
 * copied by fork(), so an object in it is never met by anybody else and can be
 * modelled like any other. The kernel's list of mappings tells; it is read
 * anew each time (some 20 us), because such objects are rare and mappings come
 * and go.
 */
#include "runtime/icept_sync.h"
#include "runtime/sys.h"

/* Reads "start-end perms ..." lines one character at a time, so a line may
 * lie across two reads. */
struct maps {
    enum { IN_START, IN_END, IN_PERMS, IN_REST } where;
    u64 start, end;
    u32 column; /* of the permissions */
    bool is_shared;
};

static void maps_put(struct maps *p, char c)
{
    u64 digit = (u64)(c <= '9' ? c - '0' : c - 'a' + 10);
    switch (p->where) {
    case IN_START:
        if (c == '-')
            p->where = IN_END;
        else
            p->start = p->start << 4 | digit;
        break;
    case IN_END:
        if (c == ' ')
            p->where = IN_PERMS;
        else
            p->end = p->end << 4 | digit;
        break;
    case IN_PERMS:
        if (p->column++ == 3) {
            p->is_shared = c == 's';
            p->where = IN_REST;
        }
        break;
    case IN_REST:
        if (c == '\n')
            *p = (struct maps){.where = IN_START};
        break;
    }
}

bool hd_memory_is_shared(const volatile void *addr)
{
    u64 a = (u64)addr;
    if (a >= hd_tls.stack_lo && a < hd_tls.stack_hi)
        return false;
    long fd = hd_sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    struct maps p = {.where = IN_START};
    bool is_found = false, is_shared = false;
    char text[2048];
    for (long n; !is_found && (n = hd_sys(SYS_read, fd, text, sizeof text)) > 0;) {
        for (long i = 0; i < n && !is_found; i++) {
            maps_put(&p, text[i]);
            is_found = p.where == IN_REST && p.start <= a && a < p.end;
            is_shared = p.is_shared;
        }
    }
    hd_sys(SYS_close, fd);
    return is_found && is_shared;
}

bool hd_is_foreign(const volatile void *obj, const char *call)
{
    if (!hd_memory_is_shared(obj))
        return false;
    hd_uncontrolled(HD_UNC_PSHARED, call);
    return true;
}
