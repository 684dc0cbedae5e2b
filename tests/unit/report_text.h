/* report_text.h: for tests of the text report: a finding of the bank program, its report, and what
 * must stand in it. HEDDLE_TEST_SHOW=1 prints the reports. */
#ifndef HD_TEST_REPORT_TEXT_H
#define HD_TEST_REPORT_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_fixture.h"

static struct bank k;
static char *text;

/* Renders k.f into `text`; every line must fit unless it holds a command. */
static void render(int width, bool color)
{
    size_t len;
    free(text);
    FILE *to = open_memstream(&text, &len);
    struct hd_text_opts o = {.width = width, .color = color};
    hd_report_text(to, &k.f, k.s, &o);
    fclose(to);
    if (getenv("HEDDLE_TEST_SHOW"))
        printf("%s\n================================\n", text);
    for (const char *p = text; *p && !color; p += strcspn(p, "\n") + 1) {
        size_t n = strcspn(p, "\n");
        if (n > (size_t)(width ? width : 80) && strncmp(p, "  heddle replay", 15)) {
            fprintf(stderr, "too long (%zu): %.*s\n", n, (int)n, p);
            fail();
        }
    }
}

/* Is `want` in the text, with every run of blanks and newlines taken as one? */
static bool has(const char *want)
{
    for (const char *p = text; *p; p++) {
        const char *a = p, *b = want;
        while (*b && (*a == *b || (*b == ' ' && *a == '\n'))) {
            if (*b == ' ') {
                a += strspn(a, " \n");
                b++;
            } else {
                a++, b++;
            }
        }
        if (!*b)
            return true;
    }
    return false;
}

static void expect(const char *format, ...)
{
    char want[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(want, sizeof want, format, ap);
    va_end(ap);
    if (!has(want)) {
        fprintf(stderr, "missing: %s\nin:\n%s\n", want, text);
        fail();
    }
}

static int L(const char *mark) { return fixture_line(&k.fx, mark); }

static int setup(void **state)
{
    bank_init(&k, "gcc -g -O1 -include probe.h bank.c -o bank");
    return 0;
}

static int teardown(void **state)
{
    free(text);
    text = NULL;
    fixture_release(&k.fx);
    return 0;
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
