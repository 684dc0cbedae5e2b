/* shared.c: functions of libc that POSIX does not ask to be safe for threads, because their state or
 * their result is in memory that all threads share: strtok, the environment, the time in words,
 * streams without their locks. What they touch is stated as an access: to the memory of the result
 * where the program sees it, to the stream, or to a variable here that stands for libc's own.
 */
#include "runtime/icept/string/string_access.h"

#include <stdlib.h>
#include <time.h>

#include "runtime/filter/fill.h"

/* Their names are in reports. */
static u64 state_of_strtok, the_environment;

/* ---- strtok -------------------------------------------------------------------------------- */

HD_EXPORT char *strtok(char *restrict text, const char *restrict between)
{
    if (hd_on())
        hd_access(&state_of_strtok, sizeof state_of_strtok, true, HD_SITE());
    return HD_REAL(strtok)(text, between);
}

/* ---- the environment ----------------------------------------------------------------------- */

/* Before the real function is known: constructors of libraries. */
static char *find_early(const char *name)
{
    size_t n = hd_strlen(name);
    for (char **e = environ; e && *e; e++)
        if (!hd_memcmp(*e, name, HD_MIN(n, hd_strlen(*e))) && hd_strlen(*e) > n && (*e)[n] == '=')
            return *e + n + 1;
    return NULL;
}

HD_EXPORT char *getenv(const char *name)
{
    if (HD_UNLIKELY(!HD_REAL(getenv)))
        return find_early(name);
    if (hd_on())
        hd_access(&the_environment, sizeof the_environment, false, HD_SITE());
    return HD_REAL(getenv)(name);
}

#define CHANGES_ENVIRONMENT()                                                                      \
    do {                                                                                           \
        if (hd_on())                                                                               \
            hd_access(&the_environment, sizeof the_environment, true, HD_SITE());                  \
    } while (0)

HD_EXPORT int setenv(const char *name, const char *value, int replaces)
{
    CHANGES_ENVIRONMENT();
    return HD_REAL(setenv)(name, value, replaces);
}

HD_EXPORT int unsetenv(const char *name)
{
    CHANGES_ENVIRONMENT();
    return HD_REAL(unsetenv)(name);
}

HD_EXPORT int putenv(char *text)
{
    CHANGES_ENVIRONMENT();
    return HD_REAL(putenv)(text);
}

HD_EXPORT int clearenv(void)
{
    CHANGES_ENVIRONMENT();
    return HD_REAL(clearenv)();
}

/* ---- time in memory of libc's ---------------------------------------------------------------- */

/* Where the results are is known from the first call on; TSan has these as well. */
#define RESULT(call, size)                                                                         \
    ({                                                                                             \
        static void *last;                                                                         \
        bool is_on = hd_on();                                                                      \
        if (is_on && last)                                                                         \
            hd_fill_keep(last, size, HD_SITE());                                                   \
        __typeof__(call) result_ = (call);                                                         \
        if (is_on && result_) {                                                                    \
            last = result_;                                                                        \
            hd_fill_state(result_, size, HD_SITE());                                               \
        }                                                                                          \
        result_;                                                                                   \
    })
#define TEXT 26 /* bytes of a time in words */

HD_EXPORT struct tm *gmtime(const time_t *t)
{
    return RESULT(HD_REAL(gmtime)(t), sizeof(struct tm));
}

HD_EXPORT struct tm *localtime(const time_t *t)
{
    return RESULT(HD_REAL(localtime)(t), sizeof(struct tm));
}

HD_EXPORT char *asctime(const struct tm *t) { return RESULT(HD_REAL(asctime)(t), TEXT); }

HD_EXPORT char *ctime(const time_t *t) { return RESULT(HD_REAL(ctime)(t), TEXT); }

/* ---- users and groups in memory of libc's ------------------------------------------------------ */

HD_EXPORT struct passwd *getpwnam(const char *name) { return RESULT(HD_REAL(getpwnam)(name), sizeof(struct passwd)); }

HD_EXPORT struct passwd *getpwuid(uid_t id) { return RESULT(HD_REAL(getpwuid)(id), sizeof(struct passwd)); }

HD_EXPORT struct passwd *getpwent(void) { return RESULT(HD_REAL(getpwent)(), sizeof(struct passwd)); }

HD_EXPORT struct group *getgrnam(const char *name) { return RESULT(HD_REAL(getgrnam)(name), sizeof(struct group)); }

HD_EXPORT struct group *getgrgid(gid_t id) { return RESULT(HD_REAL(getgrgid)(id), sizeof(struct group)); }

HD_EXPORT struct group *getgrent(void) { return RESULT(HD_REAL(getgrent)(), sizeof(struct group)); }

/* ---- streams without their locks --------------------------------------------------------------- */

/* flockfile is a lock like any other, so it orders them. */
#define STREAM_UNLOCKED(f)                                                                         \
    do {                                                                                           \
        if (hd_on())                                                                               \
            hd_access(&(f)->_flags, sizeof(f)->_flags, true, HD_SITE());                           \
    } while (0)
#undef putc_unlocked
#undef fputc_unlocked
#undef putchar_unlocked
#undef fwrite_unlocked

HD_EXPORT int fputc_unlocked(int c, FILE *f)
{
    STREAM_UNLOCKED(f);
    return HD_REAL(fputc_unlocked)(c, f);
}
HD_SECOND_NAME(putc_unlocked, fputc_unlocked);

HD_EXPORT int putchar_unlocked(int c)
{
    STREAM_UNLOCKED(stdout);
    return HD_REAL(fputc_unlocked)(c, stdout);
}

HD_EXPORT int fputs_unlocked(const char *restrict text, FILE *restrict f)
{
    STREAM_UNLOCKED(f);
    return HD_REAL(fputs_unlocked)(text, f);
}

HD_EXPORT size_t fwrite_unlocked(const void *restrict p, size_t size, size_t n, FILE *restrict f)
{
    STREAM_UNLOCKED(f);
    return HD_REAL(fwrite_unlocked)(p, size, n, f);
}
