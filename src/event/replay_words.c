/* replay_words.c: the words of one line of a replay file: numbers, strings, sites. Nothing
 * here trusts what it reads. See replay_words.h. */
#include "event/replay_words.h"

#include <stdlib.h>
#include <string.h>

static void skip_blank(struct hd_replay_parser *p)
{
    if (p->at < p->end && *p->at == ' ')
        p->at++;
}

bool hd_parse_word(struct hd_replay_parser *p, char *buf, size_t size)
{
    size_t n = 0;
    while (p->at < p->end && *p->at != ' ') {
        if (n + 1 >= size)
            return false;
        buf[n++] = *p->at++;
    }
    buf[n] = '\0';
    skip_blank(p);
    return n > 0;
}

int hd_parse_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hex(const char *s, u64 *out)
{
    u64 v = 0;
    if (!*s || strlen(s) > 16)
        return false;
    for (; *s; s++) {
        int d = hd_parse_digit(*s);
        if (d < 0)
            return false;
        v = v << 4 | (u64)d;
    }
    *out = v;
    return true;
}

static bool parse_dec(const char *s, u64 max, u64 *out)
{
    u64 v = 0;
    if (!*s)
        return false;
    for (; *s; s++) {
        u64 d = (u64)(*s - '0');
        if (*s < '0' || *s > '9' || v > (UINT64_MAX - d) / 10)
            return false;
        v = v * 10 + d;
    }
    *out = v;
    return v <= max;
}

bool hd_parse_hex(struct hd_replay_parser *p, u64 *out)
{
    char w[24];
    return hd_parse_word(p, w, sizeof w) && parse_hex(w, out);
}

bool hd_parse_dec(struct hd_replay_parser *p, u64 max, u64 *out)
{
    char w[24];
    return hd_parse_word(p, w, sizeof w) && parse_dec(w, max, out);
}

bool hd_parse_signed(struct hd_replay_parser *p, s64 *out)
{
    char w[24];
    u64 v;
    if (!hd_parse_word(p, w, sizeof w))
        return false;
    bool is_neg = w[0] == '-';
    if (!parse_dec(w + is_neg, (u64)INT64_MAX + is_neg, &v))
        return false;
    *out = (s64)(is_neg ? 0 - v : v);
    return true;
}

/* "text", as put_string writes it. `buf` holds at least the rest of the line. */
bool hd_parse_string(struct hd_replay_parser *p, char *buf, size_t size)
{
    size_t n = 0;
    if (p->at >= p->end || *p->at++ != '"')
        return false;
    while (p->at < p->end && *p->at != '"') {
        int c = (u8)*p->at++;
        if (c == '\\') {
            if (p->end - p->at >= 1 && (*p->at == '"' || *p->at == '\\')) {
                c = *p->at++;
            } else if (p->end - p->at >= 3 && *p->at == 'x' && hd_parse_digit(p->at[1]) >= 0 &&
                       hd_parse_digit(p->at[2]) >= 0) {
                c = hd_parse_digit(p->at[1]) << 4 | hd_parse_digit(p->at[2]);
                p->at += 3;
            } else {
                return false;
            }
        }
        if (!c || n + 1 >= size)
            return false;
        buf[n++] = (char)c;
    }
    buf[n] = '\0';
    if (p->at >= p->end)
        return false;
    p->at++;
    skip_blank(p);
    return true;
}

/* "3+1a2f", "?+7f00" or "-" */
bool hd_parse_site(struct hd_replay_parser *p, u64 *out)
{
    char w[48];
    if (!hd_parse_word(p, w, sizeof w))
        return false;
    if (!strcmp(w, "-")) {
        *out = HD_REPLAY_NO_SITE;
        return true;
    }
    char *plus = strchr(w, '+');
    u64 module = HD_REPLAY_NO_MODULE, offset;
    if (!plus)
        return false;
    *plus = '\0';
    if (strcmp(w, "?") && (!p->r->n_modules || !parse_dec(w, p->r->n_modules - 1, &module)))
        return false;
    if (!parse_hex(plus + 1, &offset) || offset >> 48)
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
