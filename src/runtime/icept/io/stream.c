/* stream.c: the locks of streams (libc_lock.h): flockfile, streams of
 * fopencookie, whose functions are the program's, and all calls that lock a stream
 * to write, flush, move or close it. Calls that read are in stdio.c.
 *
 * None of these is a step unless it has to wait, but flockfile and its kin, and what brings text to
 * a file while there are other threads: a reader may come before it.
 */
#include "runtime/icept/io/fdinfo.h"
#include "runtime/core/gate.h"
#include "runtime/libc/libc_lock.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/string/format_args.h"
#include "runtime/icept/string/results.h"

/* <stdio.h> may have macros of these names */
#undef putc
#undef putchar
#undef feof
#undef ferror
#undef clearerr

/* ---- locks of the program's own ----------------------------------------------- */

HD_EXPORT void flockfile(FILE *f)
{
    if (hd_on()) {
        hd_gate_obj(HD_EV_LOCK, HD_SITE(), f, HD_MTX_RECURSIVE);
        hd_libc_locks++;
    }
    HD_REAL(flockfile)(f);
}
HD_ALIAS(_IO_flockfile, flockfile);

HD_EXPORT int ftrylockfile(FILE *f)
{
    if (hd_on()) {
        if (hd_gate_obj(HD_EV_TRYLOCK, HD_SITE(), f, HD_MTX_RECURSIVE).err)
            return EBUSY;
        hd_libc_locks++;
    }
    return HD_REAL(ftrylockfile)(f);
}
HD_ALIAS(_IO_ftrylockfile, ftrylockfile);

HD_EXPORT void funlockfile(FILE *f)
{
    HD_REAL(funlockfile)(f);
    if (!hd_on())
        return;
    hd_gate_obj(HD_EV_UNLOCK, HD_SITE(), f, HD_MTX_RECURSIVE);
    if (hd_libc_locks)
        hd_libc_locks--;
}
HD_ALIAS(_IO_funlockfile, funlockfile);

/* ---- streams with functions of the program's own -------------------------------- */

struct cookie {
    struct cookie *next_free;
    FILE *f;
    void *user;
    cookie_io_functions_t fn;
    u64 site;
};
static struct cookie *free_cookies;
static u32 n_cookies; /* open ones */

#define CALLBACK(c, call)                                                                          \
    ({                                                                                             \
        struct hd_libc_hold hold_;                                                                 \
        hd_libc_hold(&hold_, (u64)(c)->f, (c)->site);                                              \
        __typeof__(call) value_ = (call);                                                          \
        hd_libc_give(&hold_);                                                                      \
        value_;                                                                                    \
    })

static ssize_t cookie_read(void *arg, char *to, size_t n)
{
    struct cookie *c = arg;
    return CALLBACK(c, c->fn.read(c->user, to, n));
}

static ssize_t cookie_write(void *arg, const char *from, size_t n)
{
    struct cookie *c = arg;
    return CALLBACK(c, c->fn.write(c->user, from, n));
}

static int cookie_seek(void *arg, off64_t *at, int whence)
{
    struct cookie *c = arg;
    return CALLBACK(c, c->fn.seek(c->user, at, whence));
}

static int cookie_close(void *arg)
{
    struct cookie *c = arg;
    int r = c->fn.close ? CALLBACK(c, c->fn.close(c->user)) : 0;
    c->next_free = free_cookies;
    free_cookies = c;
    n_cookies--;
    return r;
}

HD_EXPORT FILE *fopencookie(void *user, const char *mode, cookie_io_functions_t fn)
{
    if (!hd_on())
        return HD_REAL(fopencookie)(user, mode, fn);
    struct cookie *c = free_cookies;
    if (c)
        free_cookies = c->next_free;
    else
        c = hd_arena_alloc(NULL, sizeof *c);
    *c = (struct cookie){.user = user, .fn = fn, .site = HD_SITE()};
    cookie_io_functions_t ours = {.read = fn.read ? cookie_read : NULL,
                                  .write = fn.write ? cookie_write : NULL,
                                  .seek = fn.seek ? cookie_seek : NULL,
                                  .close = cookie_close};
    c->f = HD_REAL(fopencookie)(c, mode, ours);
    if (c->f) {
        n_cookies++;
    } else {
        c->next_free = free_cookies;
        free_cookies = c;
    }
    return c->f;
}

/* ---- output ------------------------------------------------------------------------ */

/* A pipe or socket of this process may be full until another thread reads: then that
 * is waited for here, as before a write(), not in the kernel. There is room for a
 * page then, which is what a stream writes at a time; more may still block. */
static HD_NOINLINE void await_room(int fd, u64 site)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    if (hd_fd_blocks(fd, O_WRONLY) && hd_sys(SYS_poll, &p, 1, 0) == 0)
        hd_fd_wait(fd, POLLOUT, SO_SNDTIMEO, site, HD_OP_CANCEL, 0);
    hd_io_dirty = true;
}

HD_INLINE void before_output(FILE *f, u64 site)
{
    if (hd_on() && f && f->_fileno >= 0 && hd_fd_is_internal(f->_fileno))
        await_room(f->_fileno, site);
}

#define HD_OUTPUT(f, call)                                                                         \
    ({                                                                                             \
        before_output(f, HD_SITE());                                                               \
        HD_STREAM(f, call);                                                                        \
    })

/* ---- flush and close ---------------------------------------------------------------- */

static bool has_output(const FILE *f) { return f->_IO_write_ptr > f->_IO_write_base; }

/* The text of a file is to be there for others from now on. Standard output is read by nobody here.
 */
static void before_flush(FILE *f, u64 site)
{
    before_output(f, site);
    if (hd_on() && f && f->_fileno > STDERR_FILENO && has_output(f) && hd_rt.sched.n_live > 1)
        hd_io_quiet_step(f->_fileno, site);
}

static bool is_open(const FILE *f)
{
    const FILE *x = *HD_REAL(_IO_list_all);
    while (x && x != f)
        x = x->_chain;
    return x != NULL;
}

/* libc would hold a lock on the list of all streams meanwhile: one by one instead. */
static int flush_all(u64 site)
{
    enum { MOST = 512 };
    FILE *all[MOST];
    u32 n = 0;
    int r = 0;
    for (FILE *f = *HD_REAL(_IO_list_all); f && n < MOST; f = f->_chain)
        if (has_output(f))
            all[n++] = f;
    for (u32 i = 0; i < n; i++) {
        struct hd_libc_hold h;
        if (!is_open(all[i]))
            continue;
        before_output(all[i], site);
        hd_stream_begin(&h, all[i], site);
        if (is_open(all[i]) && has_output(all[i]) && HD_REAL(fflush)(all[i]))
            r = EOF;
        hd_stream_end(&h);
    }
    return r;
}

HD_EXPORT int fflush(FILE *f)
{
    if (!f && hd_on() && (n_cookies || hd_libc_locks) && HD_REAL(_IO_list_all))
        return flush_all(HD_SITE());
    hd_memstream_write(f, false, HD_SITE());
    before_flush(f, HD_SITE());
    return HD_STREAM(f, HD_REAL(fflush)(f));
}
HD_ALIAS(_IO_fflush, fflush);

HD_EXPORT int fclose(FILE *f)
{
    HD_UNSAFE();
    if (HD_UNLIKELY(hd_libc_locks) && f)
        hd_libc_await((u64)f, HD_SITE()); /* its memory goes, and the model with it */
    before_flush(f, HD_SITE());
    hd_memstream_write(f, true, HD_SITE());
    return HD_REAL(fclose)(f);
}
HD_ALIAS(_IO_fclose, fclose);

/* ---- one call each ---------------------------------------------------------------------- */

#define STREAM_1(type, name)                                                                       \
    HD_EXPORT type name(FILE *f) { return HD_STREAM(f, HD_REAL(name)(f)); }
#define STREAM_2(type, name, a_type)                                                               \
    HD_EXPORT type name(a_type a, FILE *f) { return HD_OUTPUT(f, HD_REAL(name)(a, f)); }

STREAM_2(int, fputc, int)
STREAM_2(int, putc, int)
STREAM_2(int, putw, int)
STREAM_2(wint_t, fputwc, wchar_t)
STREAM_2(wint_t, putwc, wchar_t)
STREAM_2(int, fputws, const wchar_t *restrict)
STREAM_2(int, ungetc, int)
STREAM_2(wint_t, ungetwc, wint_t)
STREAM_1(long, ftell)
STREAM_1(off_t, ftello)
STREAM_1(int, feof)
STREAM_1(int, ferror)
STREAM_1(wint_t, fgetwc)
STREAM_1(wint_t, getwc)
HD_ALIAS(_IO_putc, putc);
HD_ALIAS(ftello64, ftello);

HD_EXPORT int putchar(int c) { return HD_OUTPUT(stdout, HD_REAL(fputc)(c, stdout)); }

#define READS(from, n)                                                                             \
    do {                                                                                           \
        if (hd_on() && !hd_is_own_stack(from))                                                     \
            hd_reads(from, n, HD_SITE());                                                          \
    } while (0)

HD_EXPORT int puts(const char *s)
{
    READS(s, HD_REAL(strlen)(s) + 1);
    return HD_OUTPUT(stdout, HD_REAL(puts)(s));
}

HD_EXPORT int fputs(const char *restrict s, FILE *restrict f)
{
    READS(s, HD_REAL(strlen)(s) + 1);
    return HD_OUTPUT(f, HD_REAL(fputs)(s, f));
}

HD_EXPORT size_t fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict f)
{
    READS(from, size * n);
    return HD_OUTPUT(f, HD_REAL(fwrite)(from, size, n, f));
}

HD_EXPORT int fseek(FILE *f, long at, int whence)
{
    return HD_STREAM(f, HD_REAL(fseek)(f, at, whence));
}

HD_EXPORT int fseeko(FILE *f, off_t at, int whence)
{
    return HD_STREAM(f, HD_REAL(fseeko)(f, at, whence));
}
HD_ALIAS(fseeko64, fseeko);

HD_EXPORT int fgetpos(FILE *restrict f, fpos_t *restrict at)
{
    return HD_STREAM(f, HD_REAL(fgetpos)(f, at));
}

HD_EXPORT int fsetpos(FILE *f, const fpos_t *at) { return HD_STREAM(f, HD_REAL(fsetpos)(f, at)); }

HD_EXPORT int setvbuf(FILE *restrict f, char *restrict buf, int mode, size_t size)
{
    return HD_STREAM(f, HD_REAL(setvbuf)(f, buf, mode, size));
}

HD_EXPORT void setbuf(FILE *restrict f, char *restrict buf)
{
    (void)HD_STREAM(f, (HD_REAL(setbuf)(f, buf), 0));
}

HD_EXPORT void rewind(FILE *f) { (void)HD_STREAM(f, (HD_REAL(rewind)(f), 0)); }
HD_EXPORT void clearerr(FILE *f) { (void)HD_STREAM(f, (HD_REAL(clearerr)(f), 0)); }
HD_EXPORT void perror(const char *s) { (void)HD_STREAM(stderr, (HD_REAL(perror)(s), 0)); }

/* ---- formatted ----------------------------------------------------------------------------- */

#define ARGUMENTS()                                                                                \
    do {                                                                                           \
        if (hd_on())                                                                               \
            hd_format_state(format, ap, HD_SITE());                                                \
    } while (0)

HD_EXPORT int vfprintf(FILE *restrict f, const char *restrict format, va_list ap)
{
    ARGUMENTS();
    return HD_OUTPUT(f, HD_REAL(vfprintf)(f, format, ap));
}

HD_EXPORT int vprintf(const char *restrict format, va_list ap)
{
    ARGUMENTS();
    return HD_OUTPUT(stdout, HD_REAL(vfprintf)(stdout, format, ap));
}

HD_EXPORT int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap)
{
    ARGUMENTS();
    return HD_OUTPUT(f, HD_REAL(__vfprintf_chk)(f, flag, format, ap));
}

HD_EXPORT int __vprintf_chk(int flag, const char *restrict format, va_list ap);
HD_EXPORT int __vprintf_chk(int flag, const char *restrict format, va_list ap)
{
    ARGUMENTS();
    return HD_OUTPUT(stdout, HD_REAL(__vfprintf_chk)(stdout, flag, format, ap));
}

/* Those with their arguments in the call. */
#define FORMATTED(f, before, real_call)                                                            \
    ({                                                                                             \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        before;                                                                                    \
        int r_ = HD_OUTPUT(f, real_call);                                                          \
        va_end(ap);                                                                                \
        r_;                                                                                        \
    })

HD_EXPORT int fprintf(FILE *restrict f, const char *restrict format, ...)
{
    return FORMATTED(f, ARGUMENTS(), HD_REAL(vfprintf)(f, format, ap));
}

HD_EXPORT int printf(const char *restrict format, ...)
{
    return FORMATTED(stdout, ARGUMENTS(), HD_REAL(vfprintf)(stdout, format, ap));
}

HD_EXPORT int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...);
HD_EXPORT int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...)
{
    return FORMATTED(f, ARGUMENTS(), HD_REAL(__vfprintf_chk)(f, flag, format, ap));
}

HD_EXPORT int __printf_chk(int flag, const char *restrict format, ...);
HD_EXPORT int __printf_chk(int flag, const char *restrict format, ...)
{
    return FORMATTED(stdout, ARGUMENTS(), HD_REAL(__vfprintf_chk)(stdout, flag, format, ap));
}

HD_EXPORT int vfwprintf(FILE *restrict f, const wchar_t *restrict format, va_list ap)
{
    return HD_OUTPUT(f, HD_REAL(vfwprintf)(f, format, ap));
}

HD_EXPORT int fwprintf(FILE *restrict f, const wchar_t *restrict format, ...)
{
    return FORMATTED(f, (void)0, HD_REAL(vfwprintf)(f, format, ap));
}
