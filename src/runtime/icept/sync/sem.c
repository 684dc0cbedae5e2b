/* sem.c: sem_*, unnamed and named; the model is src/sched/sync/sync_sem.c.
 *
 * Named semaphores lie in memory that other processes may map, yet most
 * programs use them between their own threads. They are modelled too, as unnamed
 * ones marked as shared are, until the program forks (sync.h): each change is
 * mirrored in the real one, which thus always has the right value for a later child
 * or for whoever opens the name after us. From then on they are used for real: never
 * blocking in the kernel, but asking sem_trywait whenever the value looks positive.
 *
 * A name that the program opens but did not create may be in use by others:
 * that marks the run. To know, sem_open tries to create the name first.
 */
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/sync/sync.h"

#define MAX_NAMED 256

/* glibc's semaphore on 64-bit machines. */
struct sem {
    u32 value;
    u32 waiters;
    u32 shared; /* 0 = private to this process */
};
_Static_assert(sizeof(struct sem) <= sizeof(sem_t), "a prefix of it");

static struct named {
    sem_t *sem;
    u32 refs;
} named[MAX_NAMED];
static u32 n_named;

static u64 created[MAX_NAMED]; /* hashes of names made here and not unlinked */
static u32 n_created;

static u64 hash_name(const char *name)
{
    u64 h = 0xcbf29ce484222325;
    for (; *name; name++)
        h = (h ^ (u8)*name) * 0x100000001b3;
    return h;
}

static u32 find_created(u64 hash)
{
    u32 i = 0;
    while (i < n_created && created[i] != hash)
        i++;
    return i;
}

static struct named *find_named(const sem_t *s)
{
    for (u32 i = 0; i < n_named; i++)
        if (named[i].sem == s)
            return &named[i];
    return NULL;
}

HD_INLINE u32 initial(const sem_t *s)
{
    return ((const struct sem *)s)->value;
}

enum how { MODEL, MIRROR, REAL };

static HD_COLD enum how classify_shared(const sem_t *s, const char *call)
{
    bool has_child = hd_rt.run->stats.uncontrolled >> HD_UNC_CHILD & 1;
    if (find_named(s) && !has_child) {
        hd_shared_is_ours(s);
        return MIRROR;
    }
    return hd_is_foreign(s, true, call) ? REAL : MIRROR;
}

HD_INLINE enum how how(const sem_t *s, const char *call)
{
    return HD_LIKELY(!((const struct sem *)s)->shared) ? MODEL : classify_shared(s, call);
}

static int is_positive(void *arg)
{
    return __atomic_load_n(&((struct sem *)arg)->value, __ATOMIC_RELAXED) > 0;
}

static int wait_real(sem_t *s, s64 deadline, u64 site)
{
    struct hd_wait w = {.probe = is_positive, .arg = s};
    do { /* a step for each try: see hd_shared_wait */
        int err = hd_wait_io(&w, deadline, -1, site, HD_OP_INTERRUPTIBLE | HD_OP_CANCEL);
        if (err)
            return err;
    } while (HD_REAL(sem_trywait)(s));
    return 0;
}

static int wait_for(sem_t *s, s64 deadline, u64 site, const char *call)
{
    int saved = errno, err;
    enum how h = how(s, call);
    if (h == REAL) {
        err = HD_HANDED_OVER;
    } else {
        struct hd_op op = hd_op_make(HD_EV_SEM_WAIT, site, (u64)s);
        op.arg = initial(s);
        op.deadline = deadline;
        op.flags = HD_OP_INTERRUPTIBLE | HD_OP_CANCEL | (deadline != HD_NEVER ? HD_OP_TIMED : 0);
        err = hd_gate(&op).err;
        if (!err && h == MIRROR)
            HD_REAL(sem_trywait)(s);
    }
    if (err == HD_HANDED_OVER)
        err = wait_real(s, deadline, site);
    errno = saved;
    return hd_errno_result(err);
}

HD_EXPORT int sem_wait(sem_t *s)
{
    if (!hd_on())
        return HD_REAL(sem_wait)(s);
    return wait_for(s, HD_NEVER, HD_SITE(), "sem_wait");
}

static int timedwait(sem_t *s, clockid_t clock, const struct timespec *ts, u64 site,
                     const char *call)
{
    hd_access(ts, sizeof *ts, false, site);
    if (!hd_clock_can_wait(clock) || !hd_timespec_is_valid(ts))
        return hd_errno_result(EINVAL);
    return wait_for(s, hd_deadline_abs(clock, ts), site, call);
}

HD_EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict ts)
{
    struct timespec real;
    if (!hd_on())
        return HD_REAL(sem_timedwait)(s, hd_child_clock_real(CLOCK_REALTIME, ts, &real));
    return timedwait(s, CLOCK_REALTIME, ts, HD_SITE(), "sem_timedwait");
}

HD_EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict ts)
{
    struct timespec real;
    if (!hd_on())
        return HD_REAL(sem_clockwait)(s, clock, hd_child_clock_real(clock, ts, &real));
    return timedwait(s, clock, ts, HD_SITE(), "sem_clockwait");
}

HD_EXPORT int sem_trywait(sem_t *s)
{
    enum how h = REAL;
    if (!hd_on() || (h = how(s, "sem_trywait")) == REAL)
        return HD_REAL(sem_trywait)(s);
    int err = hd_gate_obj(HD_EV_SEM_TRYWAIT, HD_SITE(), s, initial(s)).err;
    if (HD_UNLIKELY(err == HD_HANDED_OVER))
        return HD_REAL(sem_trywait)(s);
    if (!err && h == MIRROR)
        HD_REAL(sem_trywait)(s);
    return hd_errno_result(err);
}

HD_EXPORT int sem_post(sem_t *s)
{
    enum how h = REAL;
    if (!hd_on() || (h = how(s, "sem_post")) == REAL)
        return HD_REAL(sem_post)(s);
    int err = hd_gate_obj(HD_EV_SEM_POST, HD_SITE(), s, initial(s)).err;
    if (HD_UNLIKELY(err == HD_HANDED_OVER))
        return HD_REAL(sem_post)(s);
    if (!err && h == MIRROR)
        HD_REAL(sem_post)(s);
    return hd_errno_result(err);
}

HD_EXPORT int sem_getvalue(sem_t *restrict s, int *restrict value)
{
    if (!hd_on() || how(s, "sem_getvalue") == REAL)
        return HD_REAL(sem_getvalue)(s, value);
    u64 site = HD_SITE();
    struct hd_res res = hd_gate_obj(HD_EV_SEM_GETVALUE, site, s, initial(s));
    if (HD_UNLIKELY(res.err == HD_HANDED_OVER))
        return HD_REAL(sem_getvalue)(s, value);
    if (!res.err) {
        hd_access(value, sizeof *value, true, site);
        *value = (int)res.value;
    }
    return hd_errno_result(res.err);
}

HD_EXPORT int sem_init(sem_t *s, int pshared, unsigned value)
{
    int r = HD_REAL(sem_init)(s, pshared, value);
    if (r || !hd_on())
        return r;
    if (pshared)
        hd_shared_init(s);
    if (how(s, "sem_init") == REAL)
        return 0;
    int err = hd_gate_obj(HD_EV_SEM_INIT, HD_SITE(), s, value).err;
    return hd_errno_result(err == HD_HANDED_OVER ? 0 : err);
}

HD_EXPORT int sem_destroy(sem_t *s)
{
    if (!hd_on() || how(s, "sem_destroy") == REAL)
        return HD_REAL(sem_destroy)(s);
    int err = hd_gate_obj(HD_EV_SEM_DESTROY, HD_SITE(), s, initial(s)).err;
    return err && err != HD_HANDED_OVER ? hd_errno_result(err) : HD_REAL(sem_destroy)(s);
}

/* Opens the name, and tells whether it is new. */
static sem_t *open_name(const char *name, int flags, mode_t mode, unsigned value, bool *is_new)
{
    *is_new = false;
    if (!(flags & O_CREAT))
        return HD_REAL(sem_open)(name, flags);
    int saved = errno;
    sem_t *s = HD_REAL(sem_open)(name, flags | O_EXCL, mode, value);
    if (s != SEM_FAILED) {
        *is_new = true;
        return s;
    }
    if (errno != EEXIST || (flags & O_EXCL))
        return s;
    errno = saved;
    return HD_REAL(sem_open)(name, flags, mode, value);
}

HD_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        value = va_arg(ap, unsigned);
        va_end(ap);
    }
    if (!hd_on())
        return HD_REAL(sem_open)(name, flags, mode, value);
    bool is_new;
    sem_t *s = open_name(name, flags, mode, value, &is_new);
    if (s == SEM_FAILED)
        return s;
    struct named *n = find_named(s);
    if (!n && n_named < MAX_NAMED) {
        n = &named[n_named++];
        *n = (struct named){.sem = s};
        u64 hash = hash_name(name);
        if (is_new && n_created < MAX_NAMED)
            created[n_created++] = hash;
        else if (find_created(hash) == n_created)
            hd_uncontrolled(HD_UNC_PSHARED, "sem_open");
        hd_gate_obj(HD_EV_SEM_INIT, HD_SITE(), s, initial(s));
    }
    if (n)
        n->refs++;
    return s;
}

HD_EXPORT int sem_close(sem_t *s)
{
    struct named *n = hd_on() ? find_named(s) : NULL;
    if (n && --n->refs == 0) {
        /* The memory goes; another semaphore may come to lie there. */
        *n = named[--n_named];
        hd_gate_obj(HD_EV_SEM_DESTROY, HD_SITE(), s, initial(s));
    }
    return HD_REAL(sem_close)(s);
}

HD_EXPORT int sem_unlink(const char *name)
{
    if (hd_on()) {
        u32 i = find_created(hash_name(name));
        if (i < n_created)
            created[i] = created[--n_created];
    }
    return HD_REAL(sem_unlink)(name);
}
