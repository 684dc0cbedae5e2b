/* replay_load.c: file -> struct hd_replay. Format: docs/replay-format.md.
 *
 * The file comes from outside: it may be cut, damaged, hand-made or not ours at
 * all. First line, version and checksum are looked at before anything else, so
 * that the usual accidents get their own sentence; after that every number is
 * checked against the limits of what it will be used for.
 */
#include "event/replay/replay_words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (((size_t)1 << 30) + ((size_t)1 << 27)) /* HD_LOG_MOST in base64, and more */
#define MAX_ARGS (1u << 16)

HD_PRINTF(2, 3) static int fail(struct hd_replay_parser *p, const char *format, ...)
{
    struct hd_error what;
    va_list ap;
    va_start(ap, format);
    hd_error_setv(&what, 0, format, ap);
    va_end(ap);
    return p->w.line
               ? hd_error_set(p->err, -EBADMSG, "%s, line %u: %s", p->path, p->w.line, what.text)
               : hd_error_set(p->err, -EBADMSG, "%s %s", p->path, what.text);
}

/* ---- lines ---------------------------------------------------------------- */

static int line_arg(struct hd_replay_parser *p)
{
    struct hd_replay *r = p->r;
    size_t size = (size_t)(p->w.end - p->w.at) + 1;
    char *s = malloc(size);
    if (!s || r->argc >= MAX_ARGS || !hd_parse_grow(&r->argv, r->argc + 1, &p->cap_args, sizeof *r->argv) ||
        !hd_parse_string(p, s, size)) {
        free(s);
        return fail(p, "bad argument");
    }
    r->argv[r->argc++] = s;
    return 0;
}

static int line_module(struct hd_replay_parser *p)
{
    struct hd_replay *r = p->r;
    u64 index;
    char id[80];
    if (r->n_modules >= HD_SHM_MODULES ||
        !hd_parse_grow(&r->modules, r->n_modules, &p->cap_modules, sizeof *r->modules))
        return fail(p, "too many modules");
    struct hd_replay_module *m = &r->modules[r->n_modules];
    if (!hd_words_dec(&p->w, HD_SHM_MODULES, &index) || index != r->n_modules ||
        !hd_words_hex(&p->w, UINT64_MAX, &m->bias) || !hd_words_word(&p->w, id, sizeof id) ||
        !hd_parse_string(p, m->path, sizeof m->path))
        return fail(p, "bad module");
    size_t n = strcmp(id, "-") ? strlen(id) : 0;
    if (n % 2 || n / 2 > sizeof m->build_id)
        return fail(p, "bad build-id");
    for (size_t i = 0; i < n; i += 2) {
        int hi = hd_parse_digit(id[i]), lo = hd_parse_digit(id[i + 1]);
        if (hi < 0 || lo < 0)
            return fail(p, "bad build-id");
        m->build_id[i / 2] = (u8)(hi << 4 | lo);
    }
    m->build_id_len = (u32)(n / 2);
    r->n_modules++;
    return 0;
}

static int line_site(struct hd_replay_parser *p)
{
    struct hd_replay *r = p->r;
    u64 at;
    char word[16];
    if (r->n_sites >= HD_SHM_SITES / 2 ||
        !hd_parse_grow(&r->sites, r->n_sites, &p->cap_sites, sizeof *r->sites))
        return fail(p, "too many sites");
    if (!hd_parse_site(p, &at) || HD_REPLAY_MODULE(at) == HD_REPLAY_NO_MODULE ||
        !hd_words_word(&p->w, word, sizeof word))
        return fail(p, "bad site");
    const u8 all = HD_SITE_POINT | HD_SITE_GOAL | HD_SITE_SPIN;
    u8 flags = 0;
    for (u8 more = 0; more <= all && !flags; more++)
        if (!(more & ~all) && !strcmp(word, hd_replay_site_word(more | HD_SITE_EVENT)))
            flags = more | HD_SITE_EVENT;
    if (!flags)
        return fail(p, "bad site kind '%s'", word);
    r->sites[r->n_sites++] = (struct hd_replay_site){(u16)HD_REPLAY_MODULE(at), flags,
                                                     HD_REPLAY_OFFSET(at)};
    return 0;
}

static int line_entry(struct hd_replay_parser *p, u32 kind)
{
    struct hd_replay *r = p->r;
    u64 tid, count;
    if (r->n >= HD_SHM_LOG || p->more)
        return fail(p, "too many entries");
    if (!hd_parse_room(p))
        return fail(p, "out of memory");
    if (!hd_words_dec(&p->w, HD_MAX_THREADS - 1, &tid) ||
        !hd_words_dec(&p->w, UINT32_MAX, &count) || !count || !hd_parse_site(p, &r->site[r->n]) ||
        !hd_words_hex(&p->w, UINT64_MAX, &r->check[r->n]))
        return fail(p, "bad schedule entry");
    u64 signo = 0;
    if (kind == HD_CHOICE_FOREIGN && p->w.at < p->w.end && !hd_words_dec(&p->w, 64, &signo))
        return fail(p, "bad number of a signal");
    r->choice[r->n++] = (struct hd_choice){(u32)count, (u16)tid, (u8)kind,
                                           (u8)(signo << HD_CHOICE_SIGNO_SHIFT)};
    return 0;
}

static int line_place(struct hd_replay_parser *p)
{
    u64 at, line, ordinal;
    char function[HD_REPLAY_TEXT], text[HD_REPLAY_TEXT];
    if (!hd_parse_site(p, &at) || HD_REPLAY_MODULE(at) == HD_REPLAY_NO_MODULE ||
        !hd_words_dec(&p->w, UINT32_MAX, &line) || !hd_words_dec(&p->w, UINT32_MAX, &ordinal) ||
        !hd_parse_string(p, function, sizeof function) || !hd_parse_string(p, text, sizeof text))
        return fail(p, "bad place");
    if (p->r->n_places >= HD_SHM_SITES ||
        hd_replay_add_place(p->r, at, (u32)line, (u32)ordinal, function, text))
        return fail(p, "too many places");
    return 0;
}

bool hd_replay_take_string(const char *quoted, char *buf)
{
    struct hd_replay_parser p = {.w = {.at = quoted, .end = quoted + strlen(quoted)}};
    return hd_parse_string(&p, buf, strlen(quoted) + 1) && p.w.at == p.w.end;
}

/* 1 = it was a line of what the run inherited, 0 = not, negative = bad. */
static int line_inherited(struct hd_replay_parser *p, const char *word)
{
    char *rest = strndup(p->w.at, (size_t)(p->w.end - p->w.at));
    int e = rest ? hd_inherited_take(&p->r->inherited, word, rest) : -ENOMEM;
    free(rest);
    if (e > 0)
        p->w.at = p->w.end;
    return e < 0 ? fail(p, "bad value after '%s'", word) : e;
}

static int line_io_result(struct hd_replay_parser *p)
{
    struct hd_replay *r = p->r;
    u64 tid, step, sum = 0;
    s64 what, value;
    if (r->n_io_results >= HD_SHM_IO_RESULTS ||
        !hd_parse_grow(&r->io_results, r->n_io_results, &p->cap_io_results, sizeof *r->io_results))
        return fail(p, "too many I/O results");
    if (!hd_words_dec(&p->w, HD_MAX_THREADS - 1, &tid) || !hd_words_dec(&p->w, UINT64_MAX, &step) ||
        !hd_words_signed(&p->w, &what) || what != (s32)what || !hd_words_signed(&p->w, &value) ||
        (p->w.at != p->w.end && !hd_words_dec(&p->w, UINT16_MAX, &sum))) /* since version 3 */
        return fail(p, "bad I/O result");
    r->io_results[r->n_io_results++] = (struct hd_io_result){
        .step = step, .value = value, .what = (s32)what, .tid = (u16)tid, .sum = (u16)sum};
    return 0;
}

static int line_verdict(struct hd_replay_parser *p)
{
    char word[24];
    if (!hd_words_word(&p->w, word, sizeof word))
        return fail(p, "verdict is missing");
    for (u32 i = 0; hd_replay_verdict_word(i); i++)
        if (!strcmp(word, hd_replay_verdict_word(i))) {
            p->r->verdict = i;
            p->has_verdict = true;
            return 0;
        }
    return fail(p, "unknown verdict '%s'", word);
}

#define TAKE_u32(p, to) (hd_words_dec(&p->w, UINT32_MAX, &v) && ((to) = (u32)v, true))
#define TAKE_u64(p, to) (hd_words_dec(&p->w, UINT64_MAX, &v) && ((to) = v, true))
#define TAKE_x64(p, to) (hd_words_hex(&p->w, UINT64_MAX, &v) && ((to) = v, true))
#define TAKE_s64(p, to) (hd_words_signed(&p->w, &w) && ((to) = w, true))

/* 1 = it was one of replay.def's lines, 0 = not, negative = bad. */
static int line_field(struct hd_replay_parser *p, const char *word)
{
    struct hd_replay *r = p->r;
    u64 v;
    s64 w;
    u32 row = 0;
#define HD_REPLAY_FIELD(key, type, member)                                                         \
    if (!strcmp(word, key)) {                                                                      \
        if (!TAKE_##type(p, r->member))                                                            \
            return fail(p, "bad number after '%s'", key);                                          \
        p->fields |= 1u << row;                                                                    \
        return 1;                                                                                  \
    }                                                                                              \
    row++;
#define HD_REPLAY_OPTIONAL(key, type, member, missing)                                             \
    if (!strcmp(word, key))                                                                        \
        return TAKE_##type(p, r->member) ? 1 : fail(p, "bad number after '%s'", key);
#include "event/replay/replay.def"
#undef HD_REPLAY_FIELD
    return 0;
}

static int line_text(struct hd_replay_parser *p, char *to, size_t size, bool *has)
{
    *has = true;
    return hd_parse_string(p, to, size) ? 0 : fail(p, "bad or too long text");
}

static int read_line(struct hd_replay_parser *p)
{
    struct hd_replay *r = p->r;
    char word[32];
    if (!hd_words_word(&p->w, word, sizeof word))
        return fail(p, "a keyword is expected");
    for (u32 kind = HD_CHOICE_PICK; hd_replay_choice_word(kind); kind++)
        if (!strcmp(word, hd_replay_choice_word(kind)))
            return line_entry(p, kind);
    if (!strcmp(word, "packed"))
        return hd_parse_packed(p) ? 0 : fail(p, "bad packed schedule entries");
    if (!strcmp(word, "site"))
        return line_site(p);
    if (!strcmp(word, "module"))
        return line_module(p);
    if (!strcmp(word, "place"))
        return line_place(p);
    if (!strcmp(word, "decides"))
        return hd_words_dec(&p->w, UINT32_MAX, &r->decides) ? 0
                                                            : fail(p, "bad number after 'decides'");
    if (!strcmp(word, "arg"))
        return line_arg(p);
    if (!strcmp(word, "program"))
        return line_text(p, r->program, sizeof r->program, &p->has_program);
    if (!strcmp(word, "cwd"))
        return line_text(p, r->cwd, sizeof r->cwd, &p->has_cwd);
    if (!strcmp(word, "strategy"))
        return line_text(p, r->strategy, sizeof r->strategy, &p->has_strategy);
    if (!strcmp(word, "input"))
        return line_text(p, r->input, sizeof r->input, &p->has_input);
    if (!strcmp(word, "io-result") || !strcmp(word, "answer")) /* as up to version 3 */
        return line_io_result(p);
    if (!strcmp(word, "verdict"))
        return line_verdict(p);
    int e = line_field(p, word);
    if (!e)
        e = line_inherited(p, word);
    return e ? HD_MIN(e, 0) : fail(p, "unknown keyword '%s'", word);
}

static bool next_line(struct hd_replay_parser *p, const char *text_end)
{
    if (p->w.next >= text_end)
        return false;
    const char *nl = memchr(p->w.next, '\n', (size_t)(text_end - p->w.next));
    p->w.at = p->w.next;
    p->w.end = nl ? nl : text_end;
    p->w.next = nl ? nl + 1 : text_end;
    p->w.line++;
    return true;
}

/* ---- the whole ------------------------------------------------------------ */

static int check_head(struct hd_replay_parser *p, const char *text, size_t n)
{
    static const char magic[] = "heddle-replay ";
    u64 version;
    if (n < sizeof magic || memcmp(text, magic, sizeof magic - 1))
        return fail(p, n ? "is not a replay file: give the replay.heddle of a finding"
                         : "is empty: the run that should have written it was cut off");
    p->w.next = text;
    next_line(p, text + n);
    p->w.at += sizeof magic - 1;
    p->w.line = 0;
    if (!hd_words_dec(&p->w, UINT32_MAX, &version) || p->w.at != p->w.end || !version)
        return fail(p, "has no readable version in its first line");
    if (version > HD_REPLAY_VERSION)
        return fail(p, "has format version %llu, this heddle reads up to %d: use a newer heddle",
                    (unsigned long long)version, HD_REPLAY_VERSION);
    p->r->version = (u32)version;
    return 0;
}

/* Finds and checks the last line; *body gets where it begins. */
static int check_tail(struct hd_replay_parser *p, const char *text, size_t n, const char **body, u64 *entries)
{
    HD_ASSERT(text && n);
    const char *last = text + n - 1;
    if (*last != '\n')
        return fail(p, "is cut short (its last line is incomplete): copy or record it again");
    while (last > text && last[-1] != '\n')
        last--;
    struct hd_replay_parser q = *p;
    char word[8];
    u64 sum;
    q.w.at = last;
    q.w.end = text + n - 1;
    if (!hd_words_word(&q.w, word, sizeof word) || strcmp(word, "end"))
        return fail(p, "is cut short (there is no 'end' line): copy or record it again");
    if (!hd_words_dec(&q.w, HD_LOG_MOST, entries) || !hd_words_hex(&q.w, UINT64_MAX, &sum) ||
        q.w.at != q.w.end)
        return fail(p, "has a damaged 'end' line: copy or record it again");
    if (sum != hd_replay_sum(text, (size_t)(last - text)))
        return fail(p, "is damaged or was edited (its checksum is wrong): copy or record it again");
    *body = last;
    return 0;
}

/* Up to version 2, a hang was a run that took too many steps. */
static void update_verdict(struct hd_replay *r)
{
    if (r->version > 2 || (r->verdict != HD_V_HANG && r->verdict != HD_V_TIMEOUT))
        return;
    r->limit = r->verdict == HD_V_HANG ? HD_RUN_LIMIT_STEPS : HD_RUN_LIMIT_TIME;
    r->verdict = HD_V_LIMIT;
}

static int check_complete(struct hd_replay_parser *p, u64 entries)
{
    u32 rows = 0;
#define HD_REPLAY_FIELD(key, type, member) rows++;
#include "event/replay/replay.def"
#undef HD_REPLAY_FIELD
    p->w.line = 0;
    update_verdict(p->r);
    if (p->fields != (1u << rows) - 1 || !p->has_program || !p->has_cwd || !p->has_strategy ||
        !p->has_input || !p->has_verdict || !p->r->argc)
        return fail(p, "is incomplete: a line that every replay file has is missing");
    if ((p->r->verdict == HD_V_LIMIT) != (p->r->limit != HD_RUN_LIMIT_NONE) ||
        p->r->limit >= HD_RUN_LIMIT_COUNT)
        return fail(p, "names no known limit");
    if (p->r->program[0] != '/')
        return fail(p, "names no absolute program path");
    if (strchr(p->r->input, '/'))
        return fail(p, "names an input file outside its own folder");
    u64 all = p->r->n + p->r->more.n;
    if (all != entries)
        return fail(p, "is damaged: %llu schedule entries instead of %llu", (unsigned long long)all,
                    (unsigned long long)entries);
    return 0;
}

/* The seal is of all lines but its own and the last. */
static bool is_sealed(const struct hd_replay *r, const char *text, const char *body)
{
    static const char key[] = "\nseal ";
    size_t n = (size_t)(body - text);
    const char *line = memmem(text, n, key, sizeof key - 1);
    const char *next = line ? memchr(line + 1, '\n', (size_t)(body - line - 1)) : NULL;
    if (!hd_replay_seal || !r->seal || !next)
        return false;
    size_t before = (size_t)(line + 1 - text), after = (size_t)(body - next - 1);
    char *rest = malloc(before + after + 1);
    if (!rest)
        return false;
    memcpy(rest, text, before);
    memcpy(rest + before, next + 1, after);
    bool is = r->seal == hd_replay_seal(rest, before + after);
    free(rest);
    return is;
}

static int parse(struct hd_replay_parser *p, const char *text, size_t n)
{
    const char *body = NULL;
    u64 entries = 0;
#define HD_REPLAY_FIELD(key, type, member)
#define HD_REPLAY_OPTIONAL(key, type, member, missing) p->r->member = (missing);
#include "event/replay/replay.def"
#undef HD_REPLAY_FIELD
    int e = check_head(p, text, n);
    if (!e)
        e = check_tail(p, text, n, &body, &entries);
    p->w.line = 1;
    while (!e && next_line(p, body)) {
        e = read_line(p);
        if (!e && p->w.at != p->w.end)
            e = fail(p, "something follows where the line should end");
    }
    if (!hd_parse_more(p) && !e)
        e = fail(p, "cannot be unpacked: there is no room for its schedule");
    if (!e)
        p->r->is_sealed = is_sealed(p->r, text, body);
    return e ? e : check_complete(p, entries);
}

static int read_whole(const char *path, char **text, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return -errno;
    int e = fstat(fd, &st) ? -errno : S_ISDIR(st.st_mode) ? -EISDIR : 0;
    if (!e && !S_ISREG(st.st_mode))
        e = -ESPIPE;
    if (!e && (size_t)st.st_size > MAX_FILE)
        e = -EFBIG;
    *n = 0;
    *text = e ? NULL : malloc((size_t)st.st_size + 1);
    if (!e && !*text)
        e = -ENOMEM;
    while (!e && *n < (size_t)st.st_size) {
        ssize_t k = read(fd, *text + *n, (size_t)st.st_size - *n);
        if (k < 0 && errno != EINTR)
            e = -errno;
        if (k == 0)
            break;
        if (k > 0)
            *n += (size_t)k;
    }
    close(fd);
    if (e)
        free(*text);
    return e;
}

int hd_replay_load(struct hd_replay *r, const char *path, struct hd_error *err)
{
    char *text = NULL;
    size_t n = 0;
    hd_replay_init(r);
    int e = read_whole(path, &text, &n);
    if (e == -EISDIR) {
        return hd_error_set(err, e, "%s is a folder: give the replay.heddle in it", path);
    }
    if (e) {
        return hd_error_set(err, e, "cannot read %s: %s", path,
                            e == -ESPIPE ? "it is no regular file" : strerror(-e));
    }
    HD_ASSERT(text);
    struct hd_replay_parser p = {.r = r, .path = path, .err = err};
    e = parse(&p, text, n);
    free(text);
    if (e)
        hd_replay_release(r);
    return e;
}

int hd_replay_load_others(struct hd_replay *r, const char *path, struct hd_error *err)
{
    char from[4096];
    u32 n = r->n_others, loaded = 0;
    err->text[0] = '\0';
    if (r->others || !n)
        return 0;
    if (n > HD_REPLAY_OTHERS)
        return hd_error_set(err, -EBADMSG, "%s names %u other processes, more than %u", path, n,
                            HD_REPLAY_OTHERS);
    r->others = calloc(n, sizeof *r->others);
    if (!r->others)
        return hd_error_set(err, -ENOMEM, "out of memory");
    r->n_others = 0;
    for (u32 i = 0; i < n; i++) {
        struct hd_error why;
        if (hd_replay_other_name(from, sizeof from, path, i + 1) || access(from, F_OK)) {
            hd_error_set(err, 0, "%s, the record of another process of the run, is missing", from);
            continue;
        }
        int e = hd_replay_load(&r->others[loaded], from, &why);
        if (e)
            return hd_error_set(err, e, "%s", why.text);
        r->n_others = ++loaded;
    }
    return 0;
}
