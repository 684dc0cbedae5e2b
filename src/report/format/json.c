/* json.c: a small JSON writer: balanced calls, strings escaped, numbers that
 * every reader takes. Bytes that are no UTF-8 (a program may print anything)
 * become U+FFFD, so that the output always parses. */
#include "report/clean.h"
#include "report/explain/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void hd_json_begin(struct hd_json *j, FILE *to)
{
    *j = (struct hd_json){.to = to};
    j->first[0] = true;
}

static void write_string(const struct hd_json *j, const char *text)
{
    FILE *to = j->to;
    fputc('"', to);
    for (const u8 *p = (const u8 *)text; *p;) {
        int n = hd_utf8_length(p);
        u32 code;
        if (n == 0) {
            fputs("\\ufffd", to);
            p++;
        } else if (n > 1 && hd_clean_is_bad(p, &code)) {
            fprintf(to, "\\u%04x", code);
            p += n;
        } else if (n > 1) {
            fwrite(p, 1, (size_t)n, to);
            p += n;
        } else {
            switch (*p) {
            case '"': fputs("\\\"", to); break;
            case '\\': fputs("\\\\", to); break;
            case '\n': fputs("\\n", to); break;
            case '\t': fputs("\\t", to); break;
            case '\r': fputs("\\r", to); break;
            case '<': fputs(j->is_embedded ? "\\u003c" : "<", to); break;
            default:
                if (*p < 0x20 || *p == 0x7f)
                    fprintf(to, "\\u%04x", *p);
                else
                    fputc(*p, to);
            }
            p++;
        }
    }
    fputc('"', to);
}

/* Comma, line break and key before a value. */
static void lead(struct hd_json *j, const char *key)
{
    if (!j->first[j->depth])
        fputc(',', j->to);
    j->first[j->depth] = false;
    if (j->depth && !j->is_embedded)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    if (key) {
        write_string(j, key);
        fputs(j->is_embedded ? ":" : ": ", j->to);
    }
}

static void enter(struct hd_json *j, const char *key, char open)
{
    lead(j, key);
    fputc(open, j->to);
    j->depth++;
    HD_ASSERT(j->depth < (int)HD_COUNT(j->first));
    j->first[j->depth] = true;
    j->closing[j->depth] = open == '{' ? '}' : ']';
}

void hd_json_object(struct hd_json *j, const char *key) { enter(j, key, '{'); }
void hd_json_array(struct hd_json *j, const char *key) { enter(j, key, '['); }

void hd_json_end(struct hd_json *j)
{
    HD_ASSERT(j->depth > 0);
    bool is_empty = j->first[j->depth];
    char closing = j->closing[j->depth--];
    if (!is_empty && !j->is_embedded)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    fputc(closing, j->to);
}

void hd_json_str(struct hd_json *j, const char *key, const char *value)
{
    lead(j, key);
    if (value)
        write_string(j, value);
    else
        fputs("null", j->to);
}

void hd_json_raw(struct hd_json *j, const char *key, const char *text)
{
    lead(j, key);
    fputs(text, j->to);
}

void hd_json_u64(struct hd_json *j, const char *key, u64 value)
{
    lead(j, key);
    fprintf(j->to, "%" PRIu64, value);
}

void hd_json_s64(struct hd_json *j, const char *key, s64 value)
{
    lead(j, key);
    fprintf(j->to, "%" PRId64, value);
}

void hd_json_hex(struct hd_json *j, const char *key, u64 value)
{
    lead(j, key);
    fprintf(j->to, "\"0x%" PRIx64 "\"", value);
}

void hd_json_f64(struct hd_json *j, const char *key, double value)
{
    lead(j, key);
    if (isfinite(value)) {
        char text[40];
        snprintf(text, sizeof text, "%.9g", value);
        for (char *p = text; *p; p++) /* the locale's decimal comma */
            if (*p == ',')
                *p = '.';
        fputs(text, j->to);
    } else {
        fputs("null", j->to);
    }
}

void hd_json_bool(struct hd_json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->to);
}

void hd_json_finish(struct hd_json *j)
{
    HD_ASSERT(j->depth == 0);
    fputc('\n', j->to);
    fflush(j->to);
}

void hd_json_processes(struct hd_json *j, const struct hd_replay *r)
{
    char name[256];
    hd_json_array(j, "processes");
    for (u32 i = 0; r->cfg.instance && i < 1 + (r->others ? r->n_others : 0); i++) {
        hd_replay_process(i ? &r->others[i - 1] : r, name, sizeof name);
        hd_json_str(j, NULL, name);
    }
    hd_json_end(j);
}
