/* report.c: heddle report: all findings that are remembered, as a list or as HTML pages.
 * docs/cmd/report.md */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/clean.h"
#include "report/html/html.h"
#include "report/html/overview.h"

#define WAIT_SECONDS 5.0

/* ---- as a list ---------------------------------------------------------------------- */

static int print_finding(void *self, const struct hd_store_finding *f)
{
    u32 *n = self;
    hd_clean_printf(stdout, "%-22s %s\n", f->key, f->title);
    ++*n;
    return 0;
}

static int list(struct hd_store *st, const struct hd_options *o)
{
    u32 n = 0;
    if (hd_store_findings(st, 0, print_finding, &n))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", hd_store_error(st));
    if (!o->quiet)
        hd_cli_print("%u finding%s in %s%s", n, n == 1 ? "" : "s", o->dir,
                     n ? "; 'heddle report --html DIR' shows them in a browser" : "");
    return HD_EXIT_OK;
}

/* ---- as pages ----------------------------------------------------------------------- */

struct pages {
    const struct hd_options *o;
    char text[4096]; /* beginning of a file */
};

/* Is there no such file, or one that we wrote? Nothing of the user's is overwritten. */
static bool is_ours(struct pages *p, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t n = read(fd, p->text, sizeof p->text - 1);
    close(fd);
    p->text[HD_MAX(n, (ssize_t)0)] = 0;
    return strstr(p->text, HD_HTML_MARK) != NULL;
}

/* The page of a finding, as it lies beside its report. */
static int copy_page(const char *from, const char *to)
{
    char block[1 << 16];
    ssize_t n = -1;
    int in = open(from, O_RDONLY | O_CLOEXEC), e = 0;
    if (in < 0)
        return -errno;
    FILE *out = fopen(to, "we");
    if (!out)
        e = -errno;
    while (!e && (n = read(in, block, sizeof block)) > 0)
        if (fwrite(block, 1, (size_t)n, out) != (size_t)n)
            e = -errno;
    if (!e && n < 0)
        e = -errno;
    if (out && fclose(out) && !e)
        e = -errno;
    close(in);
    return e;
}

static bool has_page(void *self, const char *id)
{
    struct pages *p = self;
    char from[PATH_MAX], to[PATH_MAX];
    if (strchr(id, '/') || id[0] == '.' ||
        snprintf(from, sizeof from, "%s/findings/%s/report.html", p->o->dir, id) >=
            (int)sizeof from ||
        snprintf(to, sizeof to, "%s/%s.html", p->o->html, id) >= (int)sizeof to)
        return false;
    return is_ours(p, to) && !copy_page(from, to);
}

static int write_pages(struct hd_store *st, const struct hd_options *o)
{
    struct pages p = {.o = o};
    char index[PATH_MAX];
    if (mkdir(o->html, 0777) && errno != EEXIST)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot make %s: %s", o->html, strerror(errno));
    if (snprintf(index, sizeof index, "%s/index.html", o->html) >= (int)sizeof index)
        return hd_cli_fail(HD_EXIT_USAGE, "--html: the name is too long");
    if (!is_ours(&p, index))
        return hd_cli_fail(HD_EXIT_FAILED,
                           "%s is there and was not written by Heddle: give --html another folder",
                           index);
    FILE *to = fopen(index, "we");
    if (!to)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", index, strerror(errno));
    int e = hd_overview_html(to, st, o->dir, has_page, &p);
    bool is_bad = ferror(to);
    if (fclose(to) || is_bad)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", index, strerror(errno));
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "%s", hd_store_error(st));
    if (!o->quiet)
        hd_cli_print("open %s in a browser", index);
    return HD_EXIT_OK;
}

int hd_cmd_report(char **argv)
{
    struct hd_options o;
    struct hd_error err;
    struct hd_store *st = NULL;
    int code;
    if (!hd_cli_options(&o, "report", HD_FOR_report, argv, &code))
        return code;
    if (o.n_rest)
        code = hd_cli_fail(HD_EXIT_USAGE, "report takes no '%s': see 'heddle help report'",
                           o.rest[0]);
    else if (hd_store_open(&st, o.dir, HD_STORE_READ, WAIT_SECONDS, &err))
        code = hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    else
        code = o.html ? write_pages(st, &o) : list(st, &o);
    if (st)
        hd_store_close(st, NULL);
    hd_options_release(&o);
    return code;
}
