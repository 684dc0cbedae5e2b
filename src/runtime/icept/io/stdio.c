/* stdio.c: reading calls of stdio. libc calls read() on its own inside
 * them, out of our sight; so before a call that finds the stream's buffer empty
 * we wait for input. That covers lines and characters from pipes and terminals.
 *
 * A pipe of this process is filled by a thread that must get its turn, so nothing
 * may block half-way there: lines and blocks are read in pieces, with the stream's
 * lock held (libc_lock.h). getdelim waits unless the delimiter is there; a line that
 * comes in more than two pieces may still block (the watchdog notices), and so may
 * scanf.
 */
#include "runtime/filter/fill.h"
#include "runtime/icept/io/fdinfo.h"
#include "runtime/libc/libc_lock.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/string/format_args.h"

#undef fread_unlocked /* <stdio.h> may have macros of these names */
#undef getc
#undef getchar
#undef getc_unlocked
#undef getchar_unlocked

static void before_input(FILE *f, u64 site)
{
    if (!f || f->_IO_read_ptr < f->_IO_read_end || f->_fileno < 0)
        return;
    if (!hd_fd_blocks(f->_fileno, O_RDONLY))
        return;
    if (hd_fd_kind(f->_fileno) == S_IFREG) {
        if (hd_rt.sched.n_live > 1) /* who may have changed it since it was opened */
            hd_io_quiet_step(f->_fileno, site);
        return;
    }
    hd_fd_wait(f->_fileno, POLLIN, SO_RCVTIMEO, site, HD_OP_CANCEL, 0);
    hd_io_dirty = true;
}

/* ---- from pipes of this process ------------------------------------------------- */

static bool is_own_pipe(FILE *f)
{
    return hd_on() && f && f->_fileno >= 0 && hd_fd_is_internal(f->_fileno);
}

static int next_char(FILE *f, u64 site)
{
    before_input(f, site);
    return HD_REAL(fgetc_unlocked)(f);
}

static char *line_in_pieces(char *buf, int n, FILE *f, u64 site)
{
    struct hd_libc_hold h;
    int i = 0, c = 0;
    hd_libc_hold(&h, (u64)f, site);
    while (i < n - 1 && c != '\n' && (c = next_char(f, site)) != EOF)
        buf[i++] = (char)c;
    hd_libc_give(&h);
    if (n <= 0 || (c == EOF && (!i || f->_flags & _IO_ERR_SEEN)))
        return NULL;
    buf[i] = 0;
    return buf;
}

static size_t block_in_pieces(char *buf, size_t size, size_t n, FILE *f, u64 site)
{
    struct hd_libc_hold h;
    size_t want = size * n, got = 0;
    hd_libc_hold(&h, (u64)f, site);
    while (got < want) {
        size_t have = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
        int c;
        if (have) {
            got += HD_REAL(fread_unlocked)(buf + got, 1, HD_MIN(have, want - got), f);
        } else if ((c = next_char(f, site)) != EOF) {
            buf[got++] = (char)c;
        } else {
            break;
        }
    }
    hd_libc_give(&h);
    return size ? got / size : 0;
}

static void before_delimiter(FILE *f, int delim, u64 site)
{
    if (!is_own_pipe(f))
        return;
    for (const char *p = f->_IO_read_ptr; p < f->_IO_read_end; p++)
        if (*p == (char)delim)
            return;
    if (hd_fd_blocks(f->_fileno, O_RDONLY))
        hd_fd_wait(f->_fileno, POLLIN, SO_RCVTIMEO, site, HD_OP_CANCEL, 0);
    hd_io_dirty = true;
}

/* ---- all ------------------------------------------------------------------------- */

#define BEFORE_INPUT(f)                                                                            \
    do {                                                                                           \
        if (hd_on())                                                                               \
            before_input(f, HD_SITE());                                                            \
    } while (0)

/* Right before the call of libc, under the stream's lock. */
#define KEEP(buf, n) (hd_on() ? hd_fill_keep(buf, n, HD_SITE()) : (void)0)

#define TOUCHED(buf, n)                                                                            \
    do {                                                                                           \
        if (hd_on() && (n) > 0)                                                                    \
            hd_fill_state(buf, n, HD_SITE());                                                      \
    } while (0)

HD_EXPORT char *fgets(char *buf, int n, FILE *f)
{
    BEFORE_INPUT(f);
    char *r = is_own_pipe(f) ? line_in_pieces(buf, n, f, HD_SITE())
                             : HD_STREAM(f, (KEEP(buf, n > 0 ? (size_t)n : 0), HD_REAL(fgets)(buf, n, f)));
    if (r)
        TOUCHED(buf, hd_strlen(buf) + 1);
    return r;
}

HD_EXPORT char *fgets_unlocked(char *buf, int n, FILE *f)
{
    BEFORE_INPUT(f);
    KEEP(buf, n > 0 ? (size_t)n : 0);
    char *r = HD_REAL(fgets_unlocked)(buf, n, f);
    if (r)
        TOUCHED(buf, hd_strlen(buf) + 1);
    return r;
}

HD_EXPORT char *__fgets_chk(char *buf, size_t size, int n, FILE *f);
HD_EXPORT char *__fgets_chk(char *buf, size_t size, int n, FILE *f)
{
    if (n > 0 && (size_t)n > size)
        __chk_fail();
    BEFORE_INPUT(f);
    char *r = is_own_pipe(f) ? line_in_pieces(buf, n, f, HD_SITE())
                             : HD_STREAM(f, (KEEP(buf, n > 0 ? (size_t)n : 0), HD_REAL(fgets)(buf, n, f)));
    if (r)
        TOUCHED(buf, hd_strlen(buf) + 1);
    return r;
}

HD_EXPORT size_t fread(void *buf, size_t size, size_t n, FILE *f)
{
    BEFORE_INPUT(f);
    size_t r = is_own_pipe(f) ? block_in_pieces(buf, size, n, f, HD_SITE())
                              : HD_STREAM(f, (KEEP(buf, size * n), HD_REAL(fread)(buf, size, n, f)));
    TOUCHED(buf, r * size);
    return r;
}

HD_EXPORT size_t fread_unlocked(void *buf, size_t size, size_t n, FILE *f)
{
    BEFORE_INPUT(f);
    KEEP(buf, size * n);
    size_t r = HD_REAL(fread_unlocked)(buf, size, n, f);
    TOUCHED(buf, r * size);
    return r;
}

HD_EXPORT size_t __fread_chk(void *buf, size_t room, size_t size, size_t n, FILE *f);
HD_EXPORT size_t __fread_chk(void *buf, size_t room, size_t size, size_t n, FILE *f)
{
    if (size && n > room / size)
        __chk_fail();
    BEFORE_INPUT(f);
    size_t r = is_own_pipe(f) ? block_in_pieces(buf, size, n, f, HD_SITE())
                              : HD_STREAM(f, (KEEP(buf, size * n), HD_REAL(fread)(buf, size, n, f)));
    TOUCHED(buf, r * size);
    return r;
}

/* getline writes the pointer and the size where the block was too small, and reads them always. */
static void grown(char **line, size_t *size, const char *was, u64 site)
{
    if (!hd_on())
        return;
    hd_access(line, sizeof *line, *line != was, site);
    hd_access(size, sizeof *size, *line != was, site);
}

HD_EXPORT ssize_t getline(char **line, size_t *size, FILE *f)
{
    BEFORE_INPUT(f);
    before_delimiter(f, '\n', HD_SITE());
    const char *was = *line;
    ssize_t r = HD_STREAM(f, (KEEP(*line, *line ? *size : 0), HD_REAL(getline)(line, size, f)));
    if (r >= 0)
        TOUCHED(*line, (size_t)r + 1);
    grown(line, size, was, HD_SITE());
    return r;
}

HD_EXPORT ssize_t getdelim(char **line, size_t *size, int delim, FILE *f)
{
    BEFORE_INPUT(f);
    before_delimiter(f, delim, HD_SITE());
    const char *was = *line;
    ssize_t r = HD_STREAM(f, (KEEP(*line, *line ? *size : 0), HD_REAL(getdelim)(line, size, delim, f)));
    if (r >= 0)
        TOUCHED(*line, (size_t)r + 1);
    grown(line, size, was, HD_SITE());
    return r;
}
HD_ALIAS(__getdelim, getdelim);

HD_EXPORT int fgetc(FILE *f)
{
    BEFORE_INPUT(f);
    return HD_STREAM(f, HD_REAL(fgetc)(f));
}

HD_EXPORT int getc(FILE *f)
{
    BEFORE_INPUT(f);
    return HD_STREAM(f, HD_REAL(fgetc)(f));
}
HD_ALIAS(_IO_getc, getc);

HD_EXPORT int fgetc_unlocked(FILE *f)
{
    BEFORE_INPUT(f);
    return HD_REAL(fgetc_unlocked)(f);
}
HD_ALIAS(getc_unlocked, fgetc_unlocked);

HD_EXPORT int getchar(void)
{
    BEFORE_INPUT(stdin);
    return HD_STREAM(stdin, HD_REAL(fgetc)(stdin));
}

HD_EXPORT int getchar_unlocked(void)
{
    BEFORE_INPUT(stdin);
    return HD_REAL(fgetc_unlocked)(stdin);
}

typedef int scan_fn(FILE *f, const char *format, va_list ap);

static int scan(scan_fn *real, FILE *f, const char *format, va_list ap, u64 site)
{
    struct hd_scan s;
    if (!hd_on())
        return HD_STREAM(f, real(f, format, ap));
    before_input(f, site);
    int r = HD_STREAM(f, (hd_scan_keep(&s, format, ap, site), real(f, format, ap)));
    hd_scan_state(&s, r, site);
    return r;
}

/* Two names each: the C99 one is what <stdio.h> leads to. */
#define SCANF(suffix, real)                                                                        \
    HD_EXPORT int hd_i_vfscanf##suffix(FILE *f, const char *format, va_list ap)                    \
    {                                                                                              \
        return scan(real, f, format, ap, HD_SITE());                                               \
    }                                                                                              \
    HD_EXPORT int hd_i_vscanf##suffix(const char *format, va_list ap)                              \
    {                                                                                              \
        return scan(real, stdin, format, ap, HD_SITE());                                           \
    }                                                                                              \
    HD_EXPORT int hd_i_fscanf##suffix(FILE *f, const char *format, ...)                            \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        int r = scan(real, f, format, ap, HD_SITE());                                              \
        va_end(ap);                                                                                \
        return r;                                                                                  \
    }                                                                                              \
    HD_EXPORT int hd_i_scanf##suffix(const char *format, ...)                                      \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        int r = scan(real, stdin, format, ap, HD_SITE());                                          \
        va_end(ap);                                                                                \
        return r;                                                                                  \
    }

HD_EXPORT int hd_i_fscanf(FILE *f, const char *format, ...) __asm__("fscanf");
HD_EXPORT int hd_i_scanf(const char *format, ...) __asm__("scanf");
HD_EXPORT int hd_i_vfscanf(FILE *f, const char *format, va_list ap) __asm__("vfscanf");
HD_EXPORT int hd_i_vscanf(const char *format, va_list ap) __asm__("vscanf");
HD_EXPORT int hd_i_fscanf_c99(FILE *f, const char *format, ...) __asm__("__isoc99_fscanf");
HD_EXPORT int hd_i_scanf_c99(const char *format, ...) __asm__("__isoc99_scanf");
HD_EXPORT int hd_i_vfscanf_c99(FILE *f, const char *format, va_list ap) __asm__("__isoc99_vfscanf");
HD_EXPORT int hd_i_vscanf_c99(const char *format, va_list ap) __asm__("__isoc99_vscanf");
SCANF(, HD_REAL(vfscanf))
SCANF(_c99, HD_REAL(__isoc99_vfscanf))
