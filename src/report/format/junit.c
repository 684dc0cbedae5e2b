/* junit.c: findings as JUnit XML, what build servers show. A finding is a
 * failed test case; its text is the whole report with the command to replay.
 * A campaign without findings is one passed test case, or a skipped one if it
 * was inconclusive. */
#include "report/clean.h"
#include "report/explain/model.h"

#include <stdlib.h>
#include <string.h>

/* XML 1.0 cannot hold control characters in any form; like bytes that are no
 * UTF-8 they become '?'. Line breaks would be lost in attributes. */
static void write_text(FILE *to, const char *text, bool is_attribute)
{
    for (const u8 *p = (const u8 *)text; *p;) {
        int n = hd_utf8_length(p);
        u32 code;
        bool is_bad = hd_clean_is_bad(p, &code);
        switch (*p) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\n': case '\t':
            fputc(is_attribute ? ' ' : *p, to);
            break;
        default:
            if (is_bad || (n == 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe))
                fputc('?', to);
            else
                fwrite(p, 1, (size_t)n, to);
        }
        p += n ? n : 1;
    }
}

static void write_attribute(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    write_text(to, value, true);
    fputc('"', to);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void write_seconds(FILE *to, double seconds)
{
    u64 ms = seconds > 0 ? (u64)(seconds * 1000 + 0.5) : 0;
    fprintf(to, " time=\"%llu.%03llu\"", (unsigned long long)(ms / 1000),
            (unsigned long long)(ms % 1000));
}

static void write_failure(FILE *to, const struct hd_junit_case *c, const char *suite)
{
    fputs("    <testcase", to);
    write_attribute(to, "name", c->name);
    write_attribute(to, "classname", suite);
    write_seconds(to, c->seconds);
    fputs(">\n      <failure", to);
    write_attribute(to, "type", c->kind);
    write_attribute(to, "message", c->title ? c->title : c->kind);
    fputc('>', to);
    write_text(to, c->text ? c->text : "", false);
    fputs("</failure>\n    </testcase>\n", to);
}

char *hd_junit_text(const struct hd_finding *f, struct hd_symbols *s)
{
    char *report = NULL;
    size_t len;
    FILE *text = open_memstream(&report, &len);
    HD_ASSERT(text);
    if (f->dir[0]) {
        fputs("Replay: ", text);
        hd_report_command(text, f);
        fputs("\n\n", text);
    }
    hd_report_text(text, f, s, &(struct hd_text_opts){.width = 100});
    fclose(text);
    return report;
}

static void write_finding(FILE *to, const struct hd_finding *f, const char *suite)
{
    struct hd_symbols *s = hd_symbols_open(f->modules, f->n_modules);
    char title[2048], *report = hd_junit_text(f, s);
    hd_report_title(f, s, title, sizeof title);
    write_failure(to, &(struct hd_junit_case){.name = f->id[0] ? f->id : hd_finding_kind(f),
                                              .seconds = f->seconds, .kind = hd_finding_kind(f),
                                              .title = title, .text = report}, suite);
    free(report);
    hd_symbols_close(s);
}

/* A test case that did not fail. */
static void write_passed(FILE *to, const struct hd_junit_case *c, const char *suite)
{
    fputs("    <testcase", to);
    write_attribute(to, "name", c->name);
    write_attribute(to, "classname", suite);
    write_seconds(to, c->seconds);
    if (c->skipped) {
        fputs(">\n      <skipped", to);
        write_attribute(to, "message", c->skipped);
        fputs("/>\n    </testcase>\n", to);
    } else {
        fputs("/>\n", to);
    }
}

static void begin_suite(FILE *to, const char *name, u32 tests, u32 failures, u32 skipped,
                        double seconds)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", to);
    write_attribute(to, "name", name);
    fprintf(to, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\"", tests, failures,
            skipped);
    write_seconds(to, seconds);
    fputs(">\n", to);
}

static void end_suite(FILE *to)
{
    fputs("  </testsuite>\n</testsuites>\n", to);
    fflush(to);
}

void hd_report_junit(FILE *to, const struct hd_finding *list, u32 n, const struct hd_tested *what)
{
    const char *program = n ? list[0].program : "program";
    if (what && what->program)
        program = what->program;
    double seconds = what ? what->seconds : 0;
    begin_suite(to, base_of(program), n ? n : 1, n, !n && what && what->skipped, seconds);
    if (what)
        fprintf(to, "    <properties><property name=\"runs\" value=\"%llu\"/></properties>\n",
                (unsigned long long)what->runs);
    for (u32 i = 0; i < n; i++)
        write_finding(to, &list[i], base_of(program));
    if (!n)
        write_passed(to, &(struct hd_junit_case){.name = "schedules", .seconds = seconds,
                                                 .skipped = what ? what->skipped : NULL},
                     base_of(program));
    end_suite(to);
}

void hd_junit_cases(FILE *to, const char *suite, const struct hd_junit_case *list, u32 n)
{
    u32 failures = 0, skipped = 0;
    double seconds = 0;
    for (u32 i = 0; i < n; i++) {
        failures += list[i].kind != NULL;
        skipped += !list[i].kind && list[i].skipped;
        seconds += list[i].seconds;
    }
    begin_suite(to, base_of(suite), n, failures, skipped, seconds);
    for (u32 i = 0; i < n; i++)
        (list[i].kind ? write_failure : write_passed)(to, &list[i], base_of(suite));
    end_suite(to);
}
