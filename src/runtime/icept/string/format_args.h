/* format_args.h: memory that libc touches for a format: strings that printf reads, and what
 * scanf assigns. Formats that number their arguments (%1$s), or have a conversion that is
 * not known here, are followed up to there.
 */
#ifndef HD_FORMAT_ARGS_H
#define HD_FORMAT_ARGS_H

#include "runtime/core/rt.h"

#include <stdarg.h>
#include <sys/uio.h>

/* States what printf touches for these arguments. Before the call; pre: hd_on(). */
void hd_format_state(const char *format, va_list ap, u64 site);

#define HD_SCAN_PARTS 16

/* What one call of scanf may assign: those of a known size, which can be kept (fill.h), and
 * texts, which are as long as the input makes them. */
struct hd_scan {
    struct iovec part[HD_SCAN_PARTS];
    int part_at[HD_SCAN_PARTS]; /* counted as scanf counts what it assigned */
    int n_parts;
    void *text[HD_SCAN_PARTS];
    int text_at[HD_SCAN_PARTS];
    bool is_wide[HD_SCAN_PARTS];
    int n_texts;
};

/* Right before the call, and after it with its result. Pre: hd_on(). */
void hd_scan_keep(struct hd_scan *s, const char *format, va_list ap, u64 site);
void hd_scan_state(const struct hd_scan *s, int assigned, u64 site);

#endif
