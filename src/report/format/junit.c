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

static void write_case(FILE *to, const struct hd_finding *f, const char *suite)
{
    struct hd_symbols *s = hd_symbols_open(f->modules, f->n_modules);
    char title[2048], *report = NULL;
    size_t len;
    hd_report_title(f, s, title, sizeof title);
    fputs("    <testcase", to);
    write_attribute(to, "name", f->id[0] ? f->id : hd_finding_kind(f));
    write_attribute(to, "classname", suite);
    write_seconds(to, f->seconds);
    fputs(">\n      <failure", to);
    write_attribute(to, "type", hd_finding_kind(f));
    write_attribute(to, "message", title);
    fputc('>', to);
    FILE *text = open_memstream(&report, &len);
    HD_ASSERT(text);
    if (f->dir[0]) {
        fputs("Replay: ", text);
        hd_report_command(text, f);
        fputs("\n\n", text);
    }
    hd_report_text(text, f, s, &(struct hd_text_opts){.width = 100});
    fclose(text);
    write_text(to, report, false);
    fputs("</failure>\n    </testcase>\n", to);
    free(report);
    hd_symbols_close(s);
}

void hd_report_junit(FILE *to, const struct hd_finding *list, u32 n, const struct hd_suite *suite)
{
    const char *program = n ? list[0].program : "program";
    if (suite && suite->program)
        program = suite->program;
    double seconds = suite ? suite->seconds : 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", to);
    write_attribute(to, "name", base_of(program));
    fprintf(to, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\"", n ? n : 1, n,
            !n && suite && suite->skipped);
    write_seconds(to, seconds);
    fputs(">\n", to);
    if (suite)
        fprintf(to, "    <properties><property name=\"runs\" value=\"%llu\"/></properties>\n",
                (unsigned long long)suite->runs);
    for (u32 i = 0; i < n; i++)
        write_case(to, &list[i], base_of(program));
    if (!n) {
        fputs("    <testcase name=\"schedules\"", to);
        write_attribute(to, "classname", base_of(program));
        write_seconds(to, seconds);
        if (suite && suite->skipped) {
            fputs(">\n      <skipped", to);
            write_attribute(to, "message", suite->skipped);
            fputs("/>\n    </testcase>\n", to);
        } else {
            fputs("/>\n", to);
        }
    }
    fputs("  </testsuite>\n</testsuites>\n", to);
    fflush(to);
}
