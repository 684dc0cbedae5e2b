/* replay_words.c: what only replay files have in a line: strings and sites. Nothing here trusts
 * what it reads. See replay_words.h. */
#include "event/replay_words.h"

#include <stdlib.h>
#include <string.h>

int hd_parse_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "text", as put_string writes it. `buf` holds at least the rest of the line. */
bool hd_parse_string(struct hd_replay_parser *p, char *buf, size_t size)
{
    size_t n = 0;
    if (p->w.at >= p->w.end || *p->w.at++ != '"')
        return false;
    while (p->w.at < p->w.end && *p->w.at != '"') {
        int c = (u8)*p->w.at++;
        if (c == '\\') {
            if (p->w.end - p->w.at >= 1 && (*p->w.at == '"' || *p->w.at == '\\')) {
                c = (u8)*p->w.at++;
            } else if (p->w.end - p->w.at >= 3 && *p->w.at == 'x' &&
                       hd_parse_digit(p->w.at[1]) >= 0 && hd_parse_digit(p->w.at[2]) >= 0) {
                c = hd_parse_digit(p->w.at[1]) << 4 | hd_parse_digit(p->w.at[2]);
                p->w.at += 3;
            } else {
                return false;
            }
        }
        if (!c || n + 1 >= size)
            return false;
        buf[n++] = (char)c;
    }
    buf[n] = '\0';
    if (p->w.at >= p->w.end)
        return false;
    p->w.at++;
    if (p->w.at < p->w.end && *p->w.at == ' ')
        p->w.at++;
    return true;
}

/* "3+1a2f", "?+7f00" or "-" */
bool hd_parse_site(struct hd_replay_parser *p, u64 *out)
{
    char w[48];
    if (!hd_words_word(&p->w, w, sizeof w))
        return false;
    if (!strcmp(w, "-")) {
        *out = HD_REPLAY_NO_SITE;
        return true;
    }
    const char *plus = strchr(w, '+');
    u64 module = HD_REPLAY_NO_MODULE, offset;
    if (!plus)
        return false;
    struct hd_words number = {.at = w, .end = plus}, rest = {.at = plus + 1, .end = w + strlen(w)};
    if (memcmp(w, "?+", 2) &&
        (!p->r->n_modules || !hd_words_dec(&number, p->r->n_modules - 1, &module)))
        return false;
    if (!hd_words_hex(&rest, ((u64)1 << 48) - 1, &offset))
        return false;
    *out = module << 48 | offset;
    return *out != HD_REPLAY_NO_SITE;
}

/* Room for one more element; the arrays double. */
bool hd_parse_grow(void *array, u32 n, u32 *cap, size_t element)
{
    if (n + 1 < *cap)
        return true;
    u32 to = *cap ? *cap * 2 : 64;
    void *grown = realloc(*(void **)array, to * element);
    if (!grown)
        return false;
    memset((char *)grown + *cap * element, 0, (to - *cap) * element);
    *(void **)array = grown;
    *cap = to;
    return true;
}
