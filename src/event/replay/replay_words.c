/* replay_words.c: what only replay files have in a line: strings, sites, packed entries. Nothing
 * here trusts what it reads. See replay_words.h. */
#include "event/replay/replay_words.h"

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

bool hd_parse_room(struct hd_replay_parser *p)
{
    struct hd_replay *r = p->r;
    u32 cap = p->cap_entries, cap2 = cap;
    return hd_parse_grow(&r->choice, r->n, &p->cap_entries, sizeof *r->choice) &&
           hd_parse_grow(&r->site, r->n, &cap, sizeof *r->site) &&
           hd_parse_grow(&r->check, r->n, &cap2, sizeof *r->check);
}

/* ---- packed entries ------------------------------------------------------------------- */

static int base64(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The rest of the line as bytes; false: it is no base64, or too long. */
static bool take_bytes(struct hd_replay_parser *p, u8 *to, u32 room, u32 *n)
{
    *n = 0;
    for (bool is_last = false; p->w.at < p->w.end; p->w.at += 4) {
        u32 v = 0, k = 0;
        if (p->w.end - p->w.at < 4 || is_last || room - *n < 3)
            return false;
        for (; k < 4 && base64(p->w.at[k]) >= 0; k++)
            v |= (u32)base64(p->w.at[k]) << (18 - 6 * k);
        is_last = k < 4;
        if (k < 2 || memcmp(p->w.at + k, "==", 4 - k) || (v << (8 * (k - 1)) & 0xffffff))
            return false;
        for (u32 i = 0; i + 1 < k; i++)
            to[(*n)++] = (u8)(v >> (16 - 8 * i));
    }
    return true;
}

static bool add_entry(struct hd_replay_parser *p, const struct hd_choice *c, u64 check)
{
    struct hd_replay *r = p->r;
    if (!p->more && r->n < HD_SHM_LOG) {
        if (!hd_parse_room(p))
            return false;
        r->choice[r->n] = *c;
        r->site[r->n] = HD_REPLAY_NO_SITE;
        r->check[r->n++] = check;
        return true;
    }
    if (!p->more) {
        p->more = malloc(sizeof *p->more);
        if (!p->more)
            return false;
        hd_tail_begin(p->more);
    }
    hd_tail_add(p->more, c, check);
    return p->more->t.bytes < HD_LOG_MOST;
}

bool hd_parse_packed(struct hd_replay_parser *p)
{
    u8 bytes[HD_REPLAY_PACKED + 3];
    struct hd_choice c;
    u64 entries, check;
    u32 n, used, at = 0;
    if (!hd_words_dec(&p->w, HD_REPLAY_PACKED, &entries) || !take_bytes(p, bytes, sizeof bytes, &n))
        return false;
    for (; entries; entries--, at += used) {
        used = hd_packed_get(bytes + at, n - at, &c, &check);
        bool is_signal = c.kind == HD_CHOICE_FOREIGN && c.flags >> HD_CHOICE_SIGNO_SHIFT <= 64;
        c.flags = is_signal ? c.flags : 0;
        if (!used || !add_entry(p, &c, check))
            return false;
    }
    return at == n;
}

bool hd_parse_more(struct hd_replay_parser *p)
{
    bool is_kept = !p->more || !hd_tail_end(p->more, &p->r->more);
    free(p->more);
    p->more = NULL;
    return is_kept;
}
