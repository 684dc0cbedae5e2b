/* words.c: see words.h. */
#include "text/words.h"

#include <string.h>

bool hd_words_line(struct hd_words *w)
{
    const char *end = w->next < w->stop ? memchr(w->next, '\n', (size_t)(w->stop - w->next)) : NULL;
    if (!end)
        return false;
    w->at = w->next;
    w->end = end;
    w->next = end + 1;
    w->line++;
    return true;
}

bool hd_words_is_end(const struct hd_words *w) { return w->at == w->end; }

/* The end of the word that begins at w->at. */
static const char *word_end(const struct hd_words *w)
{
    const char *end = memchr(w->at, ' ', (size_t)(w->end - w->at));
    return end ? end : w->end;
}

static void go_behind(struct hd_words *w, const char *end) { w->at = end < w->end ? end + 1 : end; }

bool hd_words_word(struct hd_words *w, char *buf, size_t size)
{
    const char *end = word_end(w);
    size_t n = (size_t)(end - w->at);
    if (!n || n >= size)
        return false;
    memcpy(buf, w->at, n);
    buf[n] = '\0';
    go_behind(w, end);
    return true;
}

bool hd_words_is(struct hd_words *w, const char *word)
{
    const char *end = word_end(w);
    size_t n = strlen(word);
    if ((size_t)(end - w->at) != n || memcmp(w->at, word, n))
        return false;
    go_behind(w, end);
    return true;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static bool number(struct hd_words *w, u32 base, u64 max, u64 *out)
{
    const char *end = word_end(w);
    u64 v = 0;
    if (end == w->at)
        return false;
    for (const char *p = w->at; p < end; p++) {
        u64 d = (u64)digit(*p);
        if (d >= base || v > (UINT64_MAX - d) / base)
            return false;
        v = v * base + d;
    }
    *out = v;
    go_behind(w, end);
    return v <= max;
}

bool hd_words_hex(struct hd_words *w, u64 max, u64 *out) { return number(w, 16, max, out); }
bool hd_words_dec(struct hd_words *w, u64 max, u64 *out) { return number(w, 10, max, out); }

bool hd_words_signed(struct hd_words *w, s64 *out)
{
    u64 v;
    bool is_negative = w->at < w->end && *w->at == '-';
    w->at += is_negative;
    if (!number(w, 10, (u64)INT64_MAX + is_negative, &v))
        return false;
    *out = (s64)(is_negative ? 0 - v : v);
    return true;
}
