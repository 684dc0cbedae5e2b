/* expectation.c: a test framework does not stop where an expectation fails: it prints what was
 * expected, goes on, and main returns 1. So the words it printed say what failed and where:
 * GoogleTest, Catch2, doctest, Boost.Test, cmocka, Check. The program's output is anybody's: what
 * does not look like these is left alone. */
#include "report/expectation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const char *at;
    size_t n;
};

static bool next(const char **text, struct line *l)
{
    const char *p = *text;
    if (!p || !*p)
        return false;
    *l = (struct line){p, strcspn(p, "\n")};
    *text = p + l->n + (p[l->n] == '\n');
    while (l->n && l->at[l->n - 1] == '\r')
        l->n--;
    return true;
}

static struct line trimmed(struct line l)
{
    while (l.n && isspace((u8)*l.at))
        l.at++, l.n--;
    while (l.n && isspace((u8)l.at[l.n - 1]))
        l.n--;
    return l;
}

static bool begins(struct line l, const char *with)
{
    return l.n >= strlen(with) && !memcmp(l.at, with, strlen(with));
}

static const char *find(struct line l, const char *what)
{
    return memmem(l.at, l.n, what, strlen(what));
}

/* Appends with a word between, without colours. */
static void more(char *to, size_t size, const char *sep, struct line l)
{
    size_t n = strlen(to);
    if (n)
        n += (size_t)snprintf(to + n, size - n, "%s", sep);
    for (size_t i = 0; i < l.n && n + 1 < size; i++) {
        if (l.at[i] == '\033' && i + 1 < l.n && l.at[i + 1] == '[') {
            for (i += 2; i < l.n && !isalpha((u8)l.at[i]);)
                i++;
            continue;
        }
        to[n++] = l.at[i];
    }
    to[HD_MIN(n, size - 1)] = '\0';
}

static void put(char *to, size_t size, struct line l)
{
    to[0] = '\0';
    more(to, size, "", l);
}

/* "file:31" or "file(31)" at the beginning; what follows goes to *rest. */
static bool place(struct line l, struct hd_expectation *e, struct line *rest)
{
    for (size_t i = 1; i + 1 < l.n; i++) {
        if ((l.at[i] != ':' && l.at[i] != '(') || !isdigit((u8)l.at[i + 1]))
            continue;
        size_t k = i + 1;
        while (k < l.n && isdigit((u8)l.at[k]))
            k++;
        if (k == l.n || l.at[k] != (l.at[i] == '(' ? ')' : ':'))
            continue;
        put(e->file, sizeof e->file, (struct line){l.at, i});
        e->line = (u32)strtoul(l.at + i + 1, NULL, 10);
        k += l.at[k] == ')';
        *rest = (struct line){l.at + k, l.n - k};
        if (rest->n && *rest->at == ':')
            rest->at++, rest->n--;
        *rest = trimmed(*rest);
        return true;
    }
    return false;
}

/* ---- one function per framework -------------------------------------------------------------- */

/* [ RUN      ] Account.Withdraw
 * account_test.cc:31: Failure
 * Expected equality of these values:
 *   balance
 *     Which is: 70
 *   60 */
static bool google(const char *text, struct hd_expectation *e)
{
    struct line l, rest;
    char test[sizeof e->test] = "";
    while (next(&text, &l)) {
        if (begins(l, "[ RUN      ] "))
            put(test, sizeof test, (struct line){l.at + 13, l.n - 13});
        if (!place(l, e, &rest) || rest.n != 7 || !begins(rest, "Failure"))
            continue;
        memcpy(e->test, test, sizeof e->test);
        for (u32 i = 0; i < 6 && next(&text, &l) && l.n && *l.at != '['; i++) {
            struct line t = trimmed(l);
            bool is_value = begins(t, "Which is: ");
            if (is_value)
                t.at += 10, t.n -= 10;
            more(e->text, sizeof e->text, i < 2 || is_value ? " " : ", ", t);
        }
        return true;
    }
    return false;
}

/* -----
 * Withdraw
 * -----
 * ...
 * account.cc:20: FAILED:
 *   REQUIRE( balance == 60 )
 * with expansion:
 *   70 == 60 */
static bool catch2(const char *text, struct hd_expectation *e)
{
    struct line l, rest, before = {"", 0}, before2 = {"", 0};
    char test[sizeof e->test] = "";
    while (next(&text, &l)) {
        if (begins(l, "-----") && begins(before2, "-----"))
            put(test, sizeof test, before);
        before2 = before;
        before = l;
        if (!place(l, e, &rest) || !begins(rest, "FAILED:"))
            continue;
        memcpy(e->test, test, sizeof e->test);
        while (next(&text, &l) && l.n && strlen(e->text) < 120) {
            struct line t = trimmed(l);
            if (!begins(t, "with expansion:"))
                more(e->text, sizeof e->text, ", with ", t);
        }
        return true;
    }
    return false;
}

/* TEST CASE:  Withdraw
 *
 * account.cc:20: ERROR: CHECK( balance == 60 ) is NOT correct!
 *   values: CHECK( 70 == 60 ) */
static bool doctest(const char *text, struct hd_expectation *e)
{
    struct line l, rest;
    char test[sizeof e->test] = "";
    while (next(&text, &l)) {
        if (begins(l, "TEST CASE:"))
            put(test, sizeof test, trimmed((struct line){l.at + 10, l.n - 10}));
        if (!place(l, e, &rest) || !(begins(rest, "ERROR: ") || begins(rest, "FATAL ERROR: ")) ||
            !test[0])
            continue;
        memcpy(e->test, test, sizeof e->test);
        const char *colon = memchr(rest.at, ':', rest.n);
        more(e->text, sizeof e->text, "",
             trimmed((struct line){colon + 1, rest.n - (size_t)(colon + 1 - rest.at)}));
        if (next(&text, &l) && begins(trimmed(l), "values: "))
            more(e->text, sizeof e->text, " ", trimmed(l));
        return true;
    }
    return false;
}

/* account.cc(20): error: in "Account/Withdraw": check balance == 60 has failed [70 != 60] */
static bool boost(const char *text, struct hd_expectation *e)
{
    struct line l, rest;
    while (next(&text, &l)) {
        if (!place(l, e, &rest))
            continue;
        const char *in = find(rest, "error: in \"");
        const char *name = in ? in + 11 : NULL;
        const char *end = name ? memmem(name, rest.n - (size_t)(name - rest.at), "\": ", 3) : NULL;
        if (!end)
            continue;
        put(e->test, sizeof e->test, (struct line){name, (size_t)(end - name)});
        more(e->text, sizeof e->text, "",
             (struct line){end + 3, rest.n - (size_t)(end + 3 - rest.at)});
        return true;
    }
    return false;
}

/* [  ERROR   ] --- 0x46 != 0x3c
 * [   LINE   ] --- account.c:20: error: Failure!
 * [  FAILED  ] test_withdraw */
static bool cmocka(const char *text, struct hd_expectation *e)
{
    struct line l, rest;
    char message[sizeof e->text] = "";
    while (next(&text, &l)) {
        if (begins(l, "[  ERROR   ] --- "))
            put(message, sizeof message, (struct line){l.at + 17, l.n - 17});
        if (begins(l, "[   LINE   ] --- "))
            place((struct line){l.at + 17, l.n - 17}, e, &rest);
        if (!begins(l, "[  FAILED  ] ") || !e->line || find(l, " test(s)"))
            continue;
        put(e->test, sizeof e->test, trimmed((struct line){l.at + 13, l.n - 13}));
        memcpy(e->text, message, sizeof e->text);
        return true;
    }
    return false;
}

/* account.c:20:F:core:test_withdraw:0: Assertion 'balance == 60' failed: balance == 70, 60 == 60 */
static bool check(const char *text, struct hd_expectation *e)
{
    struct line l, rest;
    while (next(&text, &l)) {
        if (!place(l, e, &rest) || !begins(rest, "F:"))
            continue;
        const char *tcase = rest.at + 2, *end = rest.at + rest.n;
        const char *name = memchr(tcase, ':', (size_t)(end - tcase));
        const char *stop = name ? memchr(name + 1, ':', (size_t)(end - name - 1)) : NULL;
        const char *words = stop ? memmem(stop, (size_t)(end - stop), ": ", 2) : NULL;
        if (!words)
            continue;
        put(e->test, sizeof e->test, (struct line){name + 1, (size_t)(stop - name - 1)});
        more(e->text, sizeof e->text, "", (struct line){words + 2, (size_t)(end - words - 2)});
        return true;
    }
    return false;
}

bool hd_expectation_find(const struct hd_finding *f, struct hd_expectation *e)
{
    static bool (*const known[])(const char *, struct hd_expectation *) = {google, catch2, doctest,
                                                                           boost, cmocka, check};
    const char *text[] = {f->out, f->err};
    for (u32 k = 0; k < HD_COUNT(known); k++)
        for (u32 i = 0; i < HD_COUNT(text); i++) {
            memset(e, 0, sizeof *e);
            if (text[i] && known[k](text[i], e))
                return true;
        }
    memset(e, 0, sizeof *e);
    return false;
}
