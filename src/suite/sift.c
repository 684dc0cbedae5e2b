/* sift.c: a program with thousands of tests, few of which have threads. Before each is run under
 * control by itself (profile.c), groups of them are run at once with nothing controlled
 * (children/seen.c). A group that passed without a thread is done with; another one is halved.
 * Only what GoogleTest says itself counts: that as many tests passed as were asked for. */
#include "suite/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "children/children.h"
#include "process/interrupt.h"
#include "process/stray.h"

#define GROUP 128u      /* tests at once */
#define FEW 4u          /* so many are not worth a run more */
#define GROUP_MS 60000u

static const char filter[] = "--gtest_filter=";

struct sift {
    struct hd_suite *s;
    s64 until_ns;
};

/* Arguments of a test are those of the program and, at the end, its filter. */
static char **group_argv(const struct hd_suite *s, size_t from, size_t n)
{
    char *const *one = s->input.at[from].argv;
    u32 k = 0;
    size_t bytes = sizeof filter;
    while (one[k + 1])
        k++;
    for (size_t i = from; i < from + n; i++)
        bytes += strlen(s->input.at[i].name) + 1;
    char **argv = calloc(k + 2, sizeof *argv), *text = malloc(bytes), *p = text;
    HD_ASSERT(argv && text);
    memcpy(argv, one, k * sizeof *argv);
    p = stpcpy(p, filter);
    for (size_t i = from; i < from + n; i++) {
        p = stpcpy(p, s->input.at[i].name);
        *p++ = i + 1 < from + n ? ':' : '\0';
    }
    argv[k] = text;
    return argv;
}

static void release_argv(char **argv)
{
    u32 k = 0;
    while (argv[k + 1])
        k++;
    free(argv[k]);
    free(argv);
}

static bool passes_without_threads(const struct hd_suite *s, size_t from, size_t n)
{
    struct hd_children_seen seen;
    struct hd_error err;
    char **argv = group_argv(s, from, n), passed[40];
    snprintf(passed, sizeof passed, "[  PASSED  ] %zu test", n);
    bool is_single = !hd_children_survey(&seen, argv, -1, GROUP_MS, &err) && !seen.status &&
                     !seen.is_late && strstr(seen.last_words, passed);
    for (size_t i = 0; i < seen.at.n; i++)
        is_single &= !seen.at.at[i].has_threads;
    hd_children_seen_release(&seen);
    release_argv(argv);
    return is_single;
}

static void sift(struct sift *x, size_t from, size_t n)
{
    if (n < FEW || hd_interrupt_count() || hd_monotonic_ns() > x->until_ns)
        return;
    if (!passes_without_threads(x->s, from, n)) {
        sift(x, from, n / 2);
        sift(x, from + n / 2, n - n / 2);
        return;
    }
    for (size_t i = from; i < from + n; i++) {
        struct hd_suite_profile *p = &x->s->input.at[i].profile;
        p->state = HD_SUITE_SINGLE;
        p->threads = 1;
        HD_ASSERT(p->why = strdup("never has a second thread"));
    }
}

void hd_tests_sift(struct hd_suite *s, const char *path, double seconds)
{
    s64 began = hd_monotonic_ns();
    struct sift x = {s, seconds > 0 ? began + (s64)(seconds * 1e9) : INT64_MAX};
    if (hd_tests_framework(path) != HD_FRAMEWORK_GOOGLE || s->input.n < GROUP)
        return;
    hd_interrupt_catch();
    hd_stray_adopt();
    for (size_t at = 0; at < s->input.n; at += GROUP)
        sift(&x, at, HD_MIN((size_t)GROUP, s->input.n - at));
    hd_interrupt_release();
    s->profile_seconds += (double)(hd_monotonic_ns() - began) / 1e9;
}
