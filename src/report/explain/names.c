/* names.c: threads, places, functions and actions in words; objects are named
 * by objects.c. */
#include "report/explain/model.h"

#include <limits.h>
#include <signal.h>
#include <string.h>

#define FOLDERS_UP 3 /* more are hard to read */
#define UP "../../../"
#define CANCEL 32 /* the "signal" a cancellation is recorded as */

void hd_name_thread(const struct hd_model *st, u16 tid, char *buf, size_t size)
{
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    const char *slash = strrchr(st->f->program, '/');
    const char *program = slash ? slash + 1 : st->f->program;
    if (tid == HD_NO_THREAD)
        snprintf(buf, size, "a thread");
    else if (tid == 0)
        snprintf(buf, size, "T0 (main)");
    else if (t && t->name[strspn(t->name, " \t")] && strncmp(t->name, program, 15))
        snprintf(buf, size, "T%u (%.15s)", tid, t->name + strspn(t->name, " \t"));
    else
        snprintf(buf, size, "T%u", tid);
}

/* ---- places -------------------------------------------------------------------- */

/* `file` as it is called from the folder `cwd`, with "../" where that is shorter: whoever builds in
 * a folder of its own has sources beside it. */
static const char *from_here(const char *cwd, const char *file, char *buf, size_t size)
{
    size_t same = 0, n = strlen(cwd);
    for (size_t i = 0; n > 1 && file[0] == '/'; i++) {
        bool is_end = i == n;
        if ((is_end || cwd[i] == '/') && file[i] == '/')
            same = i; /* up to here both have the same folders */
        if (is_end || cwd[i] != file[i])
            break;
    }
    int up = 0;
    for (size_t i = same; i < n; i++)
        up += cwd[i] == '/';
    if (!same || up > FOLDERS_UP)
        return file;
    snprintf(buf, size, "%.*s%s", 3 * up, UP, file + same + 1);
    return strlen(buf) < strlen(file) ? buf : file;
}

void hd_name_place(const struct hd_model *st, const struct hd_srcloc *l, bool is_short, char *buf,
                   size_t size)
{
    const char *file = l->file;
    char path[PATH_MAX];
    if (file && l->line) {
        const char *slash = strrchr(file, '/');
        if ((is_short || !strncmp(file, "/usr/", 5)) && slash) /* nobody edits system headers */
            file = slash + 1;
        else
            file = from_here(st->cwd, file, path, sizeof path);
        snprintf(buf, size, "%s:%d", file, l->line);
    } else if (l->function && hd_symbols_is_system(l->module)) {
        char name[128]; /* an offset in libc tells nobody anything */
        hd_name_function(l->function, is_short ? 16 : 60, name, sizeof name);
        snprintf(buf, size, "%s()", name);
    } else if (l->module && hd_symbols_is_system(l->module)) {
        const char *slash = strrchr(l->module, '/');
        snprintf(buf, size, "%s", slash ? slash + 1 : l->module);
    } else if (l->module) {
        const char *slash = strrchr(l->module, '/');
        snprintf(buf, size, "%s+0x%llx", slash ? slash + 1 : l->module,
                 (unsigned long long)l->offset);
    } else {
        snprintf(buf, size, "0x%llx", (unsigned long long)l->offset);
    }
}

void hd_name_stack_site(const struct hd_model *st, const u64 *pc, u32 n, char *buf, size_t size)
{
    struct hd_srcloc l[16], best = {0};
    for (u32 i = 0; i < n; i++) {
        int got = hd_symbols_code(st->s, pc[i], true, l, 16);
        if (i == 0)
            best = l[0];
        for (int k = 0; k < got; k++)
            if (hd_model_is_users(&l[k])) {
                hd_name_place(st, &l[k], false, buf, size);
                return;
            }
    }
    hd_name_place(st, &best, false, buf, size);
}

void hd_name_event(const struct hd_model *st, u32 event, bool is_short, char *buf, size_t size)
{
    struct hd_srcloc l;
    const struct hd_event *e = &st->f->events[event];
    if (!e->site) {
        snprintf(buf, size, "a place not known");
        return;
    }
    hd_model_place(st, e, event, &l);
    hd_name_place(st, &l, is_short, buf, size);
}

void hd_name_site(const struct hd_model *st, u64 site, bool is_short, char *buf, size_t size)
{
    struct hd_srcloc l;
    if (!site) {
        snprintf(buf, size, "a place not known");
        return;
    }
    hd_model_site(st, site, &l);
    hd_name_place(st, &l, is_short, buf, size);
}

/* ---- functions: long C++ names --------------------------------------------------- */

static void collapse_templates(const char *name, char *buf, size_t size)
{
    size_t n = 0;
    int depth = 0;
    for (const char *p = name; *p && n + 16 < size; p++) {
        if (!strncmp(p, "operator", 8) && strchr("<>-", p[8])) {
            size_t len = 8 + strspn(p + 8, "<>-=");
            if (depth == 0) {
                memcpy(buf + n, p, len);
                n += len;
            }
            p += len - 1;
        } else if (*p == '<') {
            if (depth++ == 0) {
                memcpy(buf + n, "<..", 3);
                n += 3;
            }
        } else if (*p == '>' && depth > 0) {
            if (--depth == 0)
                buf[n++] = '>';
        } else if (depth == 0) {
            buf[n++] = *p;
        }
    }
    buf[n] = 0;
}

void hd_name_function(const char *name, size_t max, char *buf, size_t size)
{
    char flat[512];
    if (strlen(name) <= max) {
        hd_paint_cut(buf, size, name, max);
        return;
    }
    collapse_templates(name, flat, sizeof flat);
    const char *p = flat;
    while (strlen(p) > max) {
        const char *next = strstr(p, "::");
        if (!next || !next[2])
            break;
        p = next + 2;
    }
    hd_paint_cut(buf, size, p, max);
}

/* ---- actions ------------------------------------------------------------------------ */

void hd_name_action(struct hd_model *st, const struct hd_event *e, char *buf, size_t size)
{
    u8 kind = e->kind;
    u64 obj = e->obj;
    u32 arg = e->arg;
    char name[256];
    const char *note = "";
    char extra[48] = "";
    hd_name_object_of(st, e, name, sizeof name);
    switch (kind) {
    case HD_EV_START:
        snprintf(buf, size, "starts");
        return;
    case HD_EV_EXIT:
        snprintf(buf, size, "ends");
        return;
    case HD_EV_IO:
        if ((s64)obj < 0 && !hd_is_file_call(e))
            name[0] = 0;
        break;
    case HD_EV_COND_SIGNAL: case HD_EV_COND_BROADCAST:
        if (arg == 0)
            note = " (nobody waits)";
        break;
    case HD_EV_TRYLOCK: case HD_EV_TRYRDLOCK: case HD_EV_TRYWRLOCK: case HD_EV_LOCK:
    case HD_EV_RDLOCK: case HD_EV_WRLOCK: case HD_EV_UNLOCK: case HD_EV_RW_UNLOCK:
    case HD_EV_JOIN: case HD_EV_COND_WAKE:
    case HD_EV_SEM_WAIT: case HD_EV_SEM_TRYWAIT: case HD_EV_SEM_POST: case HD_EV_MUTEX_DESTROY:
    case HD_EV_FUTEX_WAIT: case HD_EV_FUTEX_WOKEN:
        if (arg) {
            const char *e = strerrorname_np((int)arg);
            snprintf(extra, sizeof extra, ": %s", e ? e : "error");
        }
        break;
    case HD_EV_KILL:
        if (arg == CANCEL) {
            snprintf(buf, size, "cancel %s", name);
            return;
        }
        __attribute__((fallthrough));
    case HD_EV_HANDLER: case HD_EV_SIGWAIT:
        if (arg)
            snprintf(extra, sizeof extra, " %s", hd_name_signal((int)arg));
        break;
    case HD_EV_ALLOC: case HD_EV_FREE:
        snprintf(extra, sizeof extra, " (%u bytes)", arg);
        break;
    }
    const char *does = kind == HD_EV_IO && name[0] ? "uses" : hd_event_text(kind);
    snprintf(buf, size, "%s%s%s%s%s", does, name[0] ? " " : "", name, note, extra);
}

void hd_name_wait(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size)
{
    static const char *const about_to[] = {
        [HD_EV_READ] = "read", [HD_EV_WRITE] = "write", [HD_EV_ALOAD] = "read (atomically)",
        [HD_EV_ASTORE] = "write (atomically)", [HD_EV_ARMW] = "update (atomically)",
    };
    char name[256];
    hd_name_quoted(st, kind, obj, name, sizeof name);
    /* "`c`" or "A": the sentence has the noun already */
    const char *bare = name[0] == '`' || !strchr(name, ' ') ? name : strchr(name, ' ') + 1;
    switch (kind) {
    case HD_EV_LOCK: case HD_EV_RDLOCK: case HD_EV_WRLOCK:
        snprintf(buf, size, "waits for %s", name);
        break;
    case HD_EV_JOIN:
        snprintf(buf, size, "waits for %s to end", name);
        break;
    case HD_EV_COND_WAIT: case HD_EV_COND_WAKE:
        snprintf(buf, size, "waits on condition %s", bare);
        break;
    case HD_EV_BARRIER_WAIT: case HD_EV_BARRIER_LEAVE:
        snprintf(buf, size, "waits at barrier %s", bare);
        break;
    case HD_EV_SEM_WAIT:
        snprintf(buf, size, "waits for semaphore %s", bare);
        break;
    case HD_EV_ONCE_BEGIN:
        snprintf(buf, size, "waits for the initialization under %s", name);
        break;
    case HD_EV_FUTEX_WAIT: case HD_EV_FUTEX_WOKEN:
        snprintf(buf, size, "waits (futex) on %s", name);
        break;
    case HD_EV_KILL:
        snprintf(buf, size, "is about to send a signal to %s", name);
        break;
    case HD_EV_SLEEP:
        snprintf(buf, size, "sleeps");
        break;
    case HD_EV_YIELD:
        snprintf(buf, size, "yields");
        break;
    case HD_EV_IO:
        if ((s64)obj < 0)
            snprintf(buf, size, "waits for another process or a file");
        else
            snprintf(buf, size, "waits for %s", name);
        break;
    case HD_EV_FENCE:
        snprintf(buf, size, "is at a memory fence");
        break;
    case HD_EV_RETURN:
        snprintf(buf, size, "is back from a system call");
        break;
    case HD_EV_SIGWAIT:
        snprintf(buf, size, "waits for a signal");
        break;
    case HD_EV_READ ... HD_EV_ARMW:
        snprintf(buf, size, "is about to %s %s", about_to[kind], name);
        break;
    case HD_EV_START:
        snprintf(buf, size, "is about to start");
        break;
    case HD_EV_EXIT:
        snprintf(buf, size, "is about to end");
        break;
    default:
        snprintf(buf, size, "is about to %s%s%s", hd_event_text(kind),
                 hd_name_has_object(kind) ? " " : "",
                 hd_name_has_object(kind) ? name : "");
    }
}

void hd_name_thread_wait(struct hd_model *st, const struct hd_finding_thread *t, u64 obj, char *buf,
                         size_t size)
{
    if (t->op_kind == HD_EV_FENCE && !t->op_site) {
        snprintf(buf, size, "is about to end the program");
        return;
    }
    hd_name_wait(st, t->op_kind, obj, buf, size);
    size_t n = strlen(buf);
    if (t->op_kind == HD_EV_FUTEX_WAIT || t->op_kind == HD_EV_FUTEX_WOKEN)
        snprintf(buf + n, size - n, (u32)t->op_arg >> 30 ? " (it was 0x%x)" : " (it was %u)",
                 (u32)t->op_arg);
}

const char *hd_name_did(u8 kind)
{
    switch (kind) {
    case HD_EV_READ: case HD_EV_ALOAD: return "read";
    case HD_EV_WRITE: case HD_EV_ASTORE: return "wrote";
    case HD_EV_ARMW: return "updated";
    case HD_EV_FREE: return "freed";
    default: return "used";
    }
}

const char *hd_name_deed(const struct hd_event *e)
{
    switch (e->kind) {
    case HD_EV_READ: case HD_EV_ALOAD: return "read";
    case HD_EV_WRITE: case HD_EV_ASTORE: return "write";
    case HD_EV_ARMW: return "update";
    case HD_EV_COND_SIGNAL: return "signal";
    case HD_EV_COND_BROADCAST: return "broadcast";
    case HD_EV_SEM_POST: return "post";
    case HD_EV_COND_WAIT: case HD_EV_SEM_WAIT: case HD_EV_FUTEX_WAIT: case HD_EV_BARRIER_WAIT:
        return "wait";
    case HD_EV_COND_WAKE: case HD_EV_FUTEX_WOKEN: return "wake-up";
    case HD_EV_IO: return "call";
    case HD_EV_KILL: return e->arg == CANCEL ? "cancellation" : "signal";
    case HD_EV_RW_UNLOCK: return "unlock";
    default: return hd_event_text(e->kind);
    }
}

const char *hd_name_deed_link(const struct hd_event *e)
{
    switch (e->kind) {
    case HD_EV_COND_WAIT: case HD_EV_SEM_WAIT: case HD_EV_FUTEX_WAIT: case HD_EV_BARRIER_WAIT:
    case HD_EV_COND_WAKE: case HD_EV_FUTEX_WOKEN: case HD_EV_IO:
        return "on";
    case HD_EV_KILL:
        return e->arg == CANCEL ? "of" : "to";
    default:
        return "of";
    }
}

const char *hd_name_signal(int signo)
{
    static char number[24];
    const char *abbrev = signo > 0 && signo < 32 ? sigabbrev_np(signo) : NULL;
    if (abbrev)
        snprintf(number, sizeof number, "SIG%s", abbrev);
    else
        snprintf(number, sizeof number, "signal %d", signo);
    return number;
}

const char *hd_name_uncontrolled(u32 bit)
{
    static const char *const text[HD_UNC_COUNT] = {
        [HD_UNC_BLOCKED] = "a call blocked that was not foreseen",
        [HD_UNC_PSHARED] = "a synchronization object is shared between processes",
        [HD_UNC_CHILD] = "the program started another process",
        [HD_UNC_UNREGISTERED] = "a thread was made inside a library",
        [HD_UNC_SIGNAL] = "a signal came from outside",
        [HD_UNC_SPIN] = "a long stretch ran without a scheduling point",
        [HD_UNC_ASLR] = "addresses differ from start to start (personality() is forbidden here)",
        [HD_UNC_IO] = "data or timing came from another process",
    };
    return bit < HD_UNC_COUNT && text[bit] ? text[bit] : "unknown reason";
}

const char *hd_name_unexplored(u32 bit)
{
    static const char *const text[HD_UNC_COUNT] = {
        [HD_UNC_BLOCKED] = "what a call waits for that was not foreseen",
        [HD_UNC_PSHARED] = "synchronization with other processes",
        [HD_UNC_CHILD] = "what processes do that the program starts",
        [HD_UNC_UNREGISTERED] = "threads that libraries make",
        [HD_UNC_SIGNAL] = "signals from outside",
        [HD_UNC_SPIN] = "switches in long stretches without a scheduling point",
        [HD_UNC_ASLR] = "other load addresses",
        [HD_UNC_IO] = "input from another process",
    };
    return bit < HD_UNC_COUNT && text[bit] ? text[bit] : "what is not known";
}
