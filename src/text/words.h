/* words.h: reads a text that Heddle wrote: lines of words and numbers, parted by single
 * blanks. Nothing is trusted: each call says whether what it wants is there, and numbers
 * are as large as the caller allows. Host only.
 *
 *   struct hd_words w = hd_words_of(text, n);
 *   while (hd_words_line(&w))
 *       if (hd_words_is(&w, "site") && hd_words_hex(&w, UINT64_MAX, &pc) && hd_words_is_end(&w))
 *           ...
 */
#ifndef HD_WORDS_H
#define HD_WORDS_H

#include "base/base.h"

struct hd_words {
    const char *at, *end;    /* rest of the line, without the newline */
    const char *next, *stop; /* the line after it; end of the text */
    u32 line;                /* from 1; 0 = none yet */
};

HD_INLINE struct hd_words hd_words_of(const char *text, size_t n)
{
    return (struct hd_words){.at = text, .end = text, .next = text, .stop = text + n};
}
/* Goes to the next line. False: there is none, or the last one has no newline. */
bool hd_words_line(struct hd_words *w);
bool hd_words_is_end(const struct hd_words *w); /* of the line */

/* Each takes what comes next in the line. False: something else is there; what was taken
 * of it by then is not known. */
bool hd_words_word(struct hd_words *w, char *buf, size_t size);
bool hd_words_is(struct hd_words *w, const char *word);   /* takes it only if it is that one */
bool hd_words_hex(struct hd_words *w, u64 max, u64 *out); /* lower case, no 0x */
bool hd_words_dec(struct hd_words *w, u64 max, u64 *out);
bool hd_words_signed(struct hd_words *w, s64 *out); /* decimal */

#endif
