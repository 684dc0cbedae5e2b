/* replay_save.c: struct hd_replay -> file. Format: docs/replay-format.md.
 *
 * The text is made in memory, because its last line carries a checksum of all
 * the others, then written to a temporary name, synced and renamed.
 */
#include "event/replay/replay_words.h"
#include "text/write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUT_u32(f, key, v) fprintf(f, "%s %" PRIu32 "\n", key, v)
#define PUT_u64(f, key, v) fprintf(f, "%s %" PRIu64 "\n", key, v)
#define PUT_s64(f, key, v) fprintf(f, "%s %" PRId64 "\n", key, v)
#define PUT_x64(f, key, v) fprintf(f, "%s %016" PRIx64 "\n", key, v)

/* A string as in C, on one line: printable ASCII and UTF-8 as they are. */
void hd_replay_put_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        u8 c = (u8)*s;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(f, "\\x%02x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void put_named(FILE *f, const char *key, const char *value)
{
    fprintf(f, "%s ", key);
    hd_replay_put_string(f, value);
    fputc('\n', f);
}

static void put_module(FILE *f, u32 index, const struct hd_replay_module *m)
{
    fprintf(f, "module %" PRIu32 " %" PRIx64 " ", index, m->bias);
    if (!m->build_id_len)
        fputc('-', f);
    for (u32 i = 0; i < m->build_id_len; i++)
        fprintf(f, "%02x", m->build_id[i]);
    fputc(' ', f);
    hd_replay_put_string(f, m->path);
    fputc('\n', f);
}

static void put_entry(FILE *f, const struct hd_replay *r, u32 i)
{
    fprintf(f, "%s %u %" PRIu32 " ", hd_replay_choice_word(r->choice[i].kind), r->choice[i].tid,
            r->choice[i].count);
    u64 at = r->site[i];
    if (at == HD_REPLAY_NO_SITE)
        fputc('-', f);
    else if (HD_REPLAY_MODULE(at) == HD_REPLAY_NO_MODULE)
        fprintf(f, "?+%" PRIx64, HD_REPLAY_OFFSET(at));
    else
        fprintf(f, "%u+%" PRIx64, HD_REPLAY_MODULE(at), HD_REPLAY_OFFSET(at));
    fprintf(f, " %016" PRIx64, r->check[i]);
    if (r->choice[i].kind == HD_CHOICE_FOREIGN && r->choice[i].flags >> HD_CHOICE_SIGNO_SHIFT)
        fprintf(f, " %u", r->choice[i].flags >> HD_CHOICE_SIGNO_SHIFT);
    fputc('\n', f);
}

/* What is left of the schedule in base64, whole entries a line. */
static void put_packed(FILE *f, const u8 *bytes, u32 n, u32 entries)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[HD_REPLAY_PACKED / 3 * 4 + 5];
    u32 k = 0;
    for (u32 i = 0; i < n; i += 3) {
        u32 v = (u32)bytes[i] << 16 | (i + 1 < n ? (u32)bytes[i + 1] << 8 : 0) |
                (i + 2 < n ? bytes[i + 2] : 0);
        text[k++] = digit[v >> 18];
        text[k++] = digit[v >> 12 & 63];
        text[k++] = i + 1 < n ? digit[v >> 6 & 63] : '=';
        text[k++] = i + 2 < n ? digit[v & 63] : '=';
    }
    if (n)
        fprintf(f, "packed %" PRIu32 " %.*s\n", entries, (int)k, text);
}

/* Entries with a line of their own, which takes about 36 bytes: of many they would be most of the file. */
static u32 n_lines(const struct hd_replay *r)
{
    u64 all = r->n + r->more.n;
    return all <= HD_REPLAY_ENTRIES ? r->n : (u32)HD_MIN(all / 16, (u64)HD_REPLAY_ENTRIES);
}

static void put_rest(FILE *f, const struct hd_replay *r)
{
    struct hd_tail_reader more;
    u8 bytes[HD_REPLAY_PACKED];
    u32 n = 0, entries = 0, unchecked = 0;
    hd_tail_reader_init(&more, &r->more);
    for (u32 i = n_lines(r);; i++) {
        struct hd_choice c;
        u64 check = 0;
        if (i < r->n) {
            bool is_due = ++unchecked >= HD_PACKED_CHECKS && r->choice[i].kind == HD_CHOICE_PICK;
            c = r->choice[i];
            check = is_due ? r->check[i] : 0;
            unchecked = is_due ? 0 : unchecked;
        } else if (!hd_tail_next(&more, &c, &check)) {
            break;
        }
        if (sizeof bytes - n < HD_PACKED_MOST) {
            put_packed(f, bytes, n, entries);
            n = entries = 0;
        }
        n += hd_packed_put(bytes + n, &c, check);
        entries++;
    }
    put_packed(f, bytes, n, entries);
}

static void put_place(FILE *f, const struct hd_replay_place *p)
{
    fprintf(f, "place %u+%" PRIx64 " %" PRIu32 " %" PRIu32 " ", HD_REPLAY_MODULE(p->site),
            HD_REPLAY_OFFSET(p->site), p->line, p->ordinal);
    hd_replay_put_string(f, p->function);
    fputc(' ', f);
    hd_replay_put_string(f, p->text);
    fputc('\n', f);
}

/* The lines up to the numbers, among them the seal. */
static void put_head(FILE *f, const struct hd_replay *r)
{
    fprintf(f, "heddle-replay %d\n", HD_REPLAY_VERSION);
    put_named(f, "program", r->program);
    put_named(f, "cwd", r->cwd);
    for (u32 i = 0; i < r->argc; i++)
        put_named(f, "arg", r->argv[i]);
    put_named(f, "strategy", r->strategy);
    put_named(f, "input", r->input);
    hd_inherited_put(f, &r->inherited);
    const char *verdict = hd_replay_verdict_word(r->verdict);
    fprintf(f, "verdict %s\n", verdict ? verdict : "none");
#define HD_REPLAY_FIELD(key, type, member) PUT_##type(f, key, r->member);
#define HD_REPLAY_OPTIONAL(key, type, member, missing)                                             \
    if (r->member != (missing))                                                                    \
        PUT_##type(f, key, r->member);
#include "event/replay/replay.def"
#undef HD_REPLAY_FIELD
}

static void put_body(FILE *f, const struct hd_replay *r)
{
    for (u32 i = 0; i < r->n_modules; i++)
        put_module(f, i, &r->modules[i]);
    for (u32 i = 0; i < r->n_sites; i++)
        fprintf(f, "site %u+%" PRIx64 " %s\n", r->sites[i].module, r->sites[i].offset,
                hd_replay_site_word(r->sites[i].flags));
    for (u32 i = 0; i < r->n_places; i++)
        put_place(f, &r->places[i]);
    if (r->decides)
        fprintf(f, "decides %" PRIu64 "\n", r->decides);
    for (u32 i = 0; i < r->n_io_results; i++)
        fprintf(f, "io-result %u %" PRIu64 " %" PRId32 " %" PRId64 " %u\n", r->io_results[i].tid,
                r->io_results[i].step, r->io_results[i].what, r->io_results[i].value, r->io_results[i].sum);
    for (u32 i = 0; i < n_lines(r); i++)
        put_entry(f, r, i);
    put_rest(f, r);
}

static int write_file(const char *path, const char *text, size_t n)
{
    char tmp[4096];
    if (snprintf(tmp, sizeof tmp, "%s.tmp-XXXXXX", path) >= (int)sizeof tmp)
        return -ENAMETOOLONG;
    int fd = mkostemp(tmp, O_CLOEXEC); /* never what is there; for our user alone */
    if (fd < 0)
        return -errno;
    int e = hd_write_all(fd, text, n);
    if (!e && fsync(fd) && errno != EINVAL && errno != EROFS)
        e = -errno;
    if (close(fd) && !e)
        e = -errno;
    if (!e && rename(tmp, path))
        e = -errno;
    if (e)
        unlink(tmp);
    return e;
}

/* What `put` writes; NULL = out of memory. */
static char *text_of(const struct hd_replay *r, void (*put)(FILE *, const struct hd_replay *), size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    if (!f)
        return NULL;
    put(f, r);
    bool is_bad = ferror(f);
    if (!fclose(f) && !is_bad)
        return text;
    free(text);
    return NULL;
}

static void put_all(FILE *f, const struct hd_replay *r)
{
    put_head(f, r);
    put_body(f, r);
}

u64 (*hd_replay_seal)(const char *text, size_t n);

/* Everything but the last line, with the line that seals all others. Schedules are long:
 * only the head is written a second time for that. */
static char *sealed_text(const struct hd_replay *given, size_t *n)
{
    struct hd_replay r = *given;
    size_t was = 0, is = 0;
    r.seal = 0;
    char *text = text_of(&r, put_all, n), *bare = text ? text_of(&r, put_head, &was) : NULL;
    if (!text || !hd_replay_seal)
        return free(bare), text;
    r.seal = hd_replay_seal(text, *n);
    char *head = bare ? text_of(&r, put_head, &is) : NULL, *all = head ? malloc(*n + is - was) : NULL;
    if (all) {
        memcpy(all, head, is);
        memcpy(all + is, text + was, *n - was);
        *n += is - was;
    }
    free(head);
    free(bare);
    free(text);
    return all;
}

static char *add_end(char *text, size_t *n, u64 entries)
{
    char last[64];
    size_t k = (size_t)snprintf(last, sizeof last, "end %" PRIu64 " %016" PRIx64 "\n", entries,
                                hd_replay_sum(text, *n));
    char *grown = realloc(text, *n + k);
    if (!grown) {
        free(text);
        return NULL;
    }
    memcpy(grown + *n, last, k);
    *n += k;
    return grown;
}

static int save_others(const struct hd_replay *r, const char *path, struct hd_error *err);

int hd_replay_save(const struct hd_replay *r, const char *path, struct hd_error *err)
{
    size_t n = 0;
    char *text = sealed_text(r, &n);
    if (text)
        text = add_end(text, &n, r->n + r->more.n);
    if (!text)
        return hd_error_set(err, -ENOMEM, "out of memory while saving %s", path);
    int e = write_file(path, text, n);
    free(text);
    if (e)
        return hd_error_set(err, e, "cannot save %s: %s", path, strerror(-e));
    return save_others(r, path, err);
}

/* ---- the other processes of the run ------------------------------------------------------- */

#define ENDING ".heddle"

int hd_replay_other_name(char *to, size_t size, const char *path, u32 number)
{
    size_t n = strlen(path), ending = sizeof ENDING - 1;
    if (n > ending && !strcmp(path + n - ending, ENDING))
        n -= ending;
    int k = snprintf(to, size, "%.*s.%u" ENDING, (int)n, path, number);
    return k < 0 || (size_t)k >= size ? -ENAMETOOLONG : 0;
}

bool hd_replay_is_other(const char *name, const char *stem)
{
    size_t n = strlen(stem);
    if (strncmp(name, stem, n) || name[n] != '.')
        return false;
    name += n + 1;
    size_t digits = strspn(name, "0123456789");
    return digits && !strcmp(name + digits, ENDING);
}

static int save_others(const struct hd_replay *r, const char *path, struct hd_error *err)
{
    char to[4096];
    int e = 0;
    for (u32 i = 0; r->others && i < r->n_others && !e; i++) {
        e = hd_replay_other_name(to, sizeof to, path, i + 1);
        e = e ? hd_error_set(err, e, "the name %s is too long", path)
              : hd_replay_save(&r->others[i], to, err);
    }
    return e;
}
