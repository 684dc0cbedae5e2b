/* error.h: why something failed, as one sentence for the user. Host only.
 *
 * Whoever notices an environment failure writes the sentence: what could not be done,
 * why, and what to do about it. It travels up beside a negative errno, and the command
 * prints it once:
 *
 *     if (fd < 0)
 *         return hd_error_set(err, -errno, "cannot read %s: %s", path, strerror(errno));
 *
 * A function that takes a `struct hd_error *` fills it whenever it fails and leaves it
 * untouched when it succeeds, unless its header says otherwise. NULL: the caller does not
 * want the sentence. A text that is too long ends with "..." behind a whole word.
 */
#ifndef HD_ERROR_H
#define HD_ERROR_H

#include <limits.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hd_error {
    char text[PATH_MAX + 512]; /* NUL-terminated; "" as long as nothing failed */
};

/* Each returns `code`. The arguments may point into err->text. */
__attribute__((format(printf, 3, 4))) int hd_error_set(struct hd_error *err, int code,
                                                       const char *format, ...);
__attribute__((format(printf, 3, 0))) int hd_error_setv(struct hd_error *err, int code,
                                                        const char *format, va_list ap);

/* "PREFIX: what it said before"; nothing if it said nothing. */
__attribute__((format(printf, 3, 4))) int hd_error_prefix(struct hd_error *err, int code,
                                                          const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
