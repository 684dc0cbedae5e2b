/* save.c: a finding on disk.
 *
 *   .heddle/findings/<id>/   replay.heddle original.heddle report.txt report.json
 *                            report.html
 *                            stdout.txt stderr.txt stdin README
 *                            check.sh expected-stdout.txt (what judged it, oracle.h)
 *                            script.toml script.run script.log (what drove it, script.h)
 *   .heddle/findings/latest -> <id>
 *
 * Written to a temporary folder (tmp.h) that is exchanged for the finding's when it is
 * complete: whatever goes wrong (full disk, kill), a folder with a finding's name is a
 * whole finding. What somebody else put into the folder moves to the new one. No file is
 * written through a symbolic link.
 */
#include "process/command.h"
#include "campaign/save.h"
#include "process/oracle.h"
#include "campaign/places.h"
#include "script/script.h"
#include "process/tmp.h"
#include "campaign/trust.h"
#include "report/clean.h"
#include "report/html/html.h"
#include "text/write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMP_PREFIX ".tmp-"

/* In a folder that we have just made: nothing of that name is there. */
static int open_in(const char *dir, const char *name, mode_t mode)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    return fd < 0 ? -errno : fd;
}

static int save_text(const char *dir, const char *name, const char *text, size_t n)
{
    int fd = open_in(dir, name, 0666);
    if (fd < 0)
        return fd;
    int e = hd_write_all(fd, text, n);
    if (close(fd) && !e)
        e = -errno;
    return e;
}

/* Texts are made in memory first: stdio does not tell which error it met. */
struct page {
    FILE *to;
    char *text;
    size_t n;
};

static int begin(struct page *p)
{
    *p = (struct page){0};
    p->to = open_memstream(&p->text, &p->n);
    return p->to ? 0 : -ENOMEM;
}

static int finish(struct page *p, const char *dir, const char *name)
{
    bool is_bad = ferror(p->to);
    int e = fclose(p->to) || is_bad ? -ENOMEM : save_text(dir, name, p->text, p->n);
    free(p->text);
    return e;
}

static int save_report(const char *dir, const struct hd_finding *f, struct hd_symbols *s)
{
    struct page p;
    struct hd_text_opts plain = {.width = 100};
    int e = begin(&p);
    if (e)
        return e;
    hd_report_text(p.to, f, s, &plain);
    e = finish(&p, dir, "report.txt");
    if (e || (e = begin(&p)))
        return e;
    struct hd_json j;
    hd_json_begin(&j, p.to);
    hd_report_json(&j, NULL, f, s);
    hd_json_finish(&j);
    e = finish(&p, dir, "report.json");
    if (e || (e = begin(&p)))
        return e;
    hd_report_html(p.to, f, s);
    return finish(&p, dir, "report.html");
}

int hd_save_reports(const struct hd_finding *f, struct hd_symbols *s, const char *dir)
{
    static const char *const name[] = {"report.txt", "report.json", "report.html"};
    char from[PATH_MAX + 64], to[PATH_MAX + 64];
    struct hd_tmp tmp;
    int e = hd_tmp_make(&tmp, dir, TMP_PREFIX);
    if (e)
        return e;
    e = save_report(tmp.path, f, s);
    for (u32 i = 0; i < HD_COUNT(name) && !e; i++) {
        snprintf(from, sizeof from, "%s/%s", tmp.path, name[i]);
        snprintf(to, sizeof to, "%s/%s", dir, name[i]);
        e = rename(from, to) ? -errno : 0;
    }
    hd_tmp_remove(&tmp);
    return e;
}

/* What a program reads may be a secret: for our user alone. */
static int copy_input(const char *dir, const char *name, int from)
{
    char buf[65536];
    ssize_t n;
    int fd = open_in(dir, name, 0600), e = 0;
    if (fd < 0)
        return fd;
    for (off_t at = 0; !e && (n = pread(from, buf, sizeof buf, at)) > 0; at += n)
        e = hd_write_all(fd, buf, (size_t)n);
    if (close(fd) && !e)
        e = -errno;
    return e;
}

int hd_save_input(const char *dir, const char *name, struct hd_replay *r, int stdin_fd)
{
    char from[PATH_MAX + 64], to[PATH_MAX + 64];
    struct stat st;
    struct hd_tmp tmp;
    r->input[0] = '\0';
    if (stdin_fd < 0 || fstat(stdin_fd, &st) || !st.st_size)
        return 0;
    int e = hd_tmp_make(&tmp, dir, TMP_PREFIX);
    if (e)
        return e;
    e = copy_input(tmp.path, name, stdin_fd);
    snprintf(from, sizeof from, "%s/%s", tmp.path, name);
    snprintf(to, sizeof to, "%s/%s", dir, name);
    if (!e && rename(from, to))
        e = -errno;
    if (!e)
        snprintf(r->input, sizeof r->input, "%s", name);
    hd_tmp_remove(&tmp);
    return e;
}

/* So that a replay is judged the same way. */
static int save_oracle(const char *dir, const struct hd_oracle *o)
{
    int e = 0;
    if (o && o->check)
        e = save_text(dir, HD_ORACLE_CHECK, o->check, strlen(o->check));
    if (!e && o && o->expect)
        e = save_text(dir, HD_ORACLE_EXPECTED, o->expected, o->n_expected);
    return e;
}

/* So that it begins the same way. */
static int save_around(const char *dir, const struct hd_around *a)
{
    int e = 0;
    if (a && a->setup)
        e = save_text(dir, HD_AROUND_SETUP, a->setup, strlen(a->setup));
    if (!e && a && a->cleanup)
        e = save_text(dir, HD_AROUND_CLEANUP, a->cleanup, strlen(a->cleanup));
    return e;
}

static int save_script(const char *dir, const struct hd_script_saved *k)
{
    if (!k)
        return 0;
    int e = save_text(dir, HD_SCRIPT_FILE, k->toml, k->n_toml);
    if (!e)
        e = save_text(dir, HD_SCRIPT_INPUT, k->input, k->n_input);
    return e ? e : save_text(dir, HD_SCRIPT_LOG, k->log, k->n_log);
}

static int save_readme(const char *dir, const struct hd_finding *f)
{
    struct page p;
    char cwd[PATH_MAX];
    int e = begin(&p);
    if (e)
        return e;
    fprintf(p.to,
            "A failure of %s found by Heddle " HD_VERSION ".\n\n"
            "report.txt     what happened\n"
            "report.html    the same with a picture, for a browser\n"
            "report.json    the same for programs\n"
            "replay.heddle  the schedule that leads to it\n"
            "stdout.txt     what the failing run printed\n"
            "stderr.txt\n", f->program);
    for (u32 i = 0; f->replay.others && i < f->replay.n_others; i++) {
        char name[256];
        hd_replay_process(&f->replay.others[i], name, sizeof name);
        fprintf(p.to, "replay.%u.heddle  ... of another process of the run: %s\n", i + 1, name);
    }
    if (f->decided.is_minimized)
        fprintf(p.to, "original.heddle  the longer schedule as it was found\n");
    if (f->replay.input[0])
        fprintf(p.to, "stdin          what the run was given to read\n");
    if (f->oracle && f->oracle->check)
        fprintf(p.to, HD_ORACLE_CHECK "       the command that judges the run\n");
    if (f->oracle && f->oracle->expect)
        fprintf(p.to, HD_ORACLE_EXPECTED "  what it should have printed\n");
    if (f->around && f->around->setup)
        fprintf(p.to, HD_AROUND_SETUP "       the command before each run\n");
    if (f->around && f->around->cleanup)
        fprintf(p.to, HD_AROUND_CLEANUP "     the command after each run\n");
    if (f->script)
        fprintf(p.to, HD_SCRIPT_FILE "    the script that drives it, " HD_SCRIPT_INPUT
                ": with what\n" HD_SCRIPT_LOG "     what its commands printed\n");
    if (f->command)
        fprintf(p.to, "\nFound by:             %s\nin the folder         %s\n", f->command,
                getcwd(cwd, sizeof cwd) ? cwd : "(not known)");
    fprintf(p.to,
            "%swith strategy %s, seed %llu, in run %llu\n\n"
            "Run it again:         heddle replay %s/replay.heddle\n"
            "... in the debugger:  heddle replay --gdb %s/replay.heddle\n"
            "To suppress it:       a line finding:%s in a file given with --suppressions\n",
            f->command ? "" : "\nFound ", f->strategy ? f->strategy : "(not known)",
            (unsigned long long)f->seed, (unsigned long long)f->run, f->dir, f->dir, f->id);
    struct page clean; /* the command line and names are from elsewhere */
    fflush(p.to);
    if (!(e = begin(&clean)))
        hd_clean_put(clean.to, p.text);
    fclose(p.to);
    free(p.text);
    return e ? e : finish(&clean, dir, "README");
}

static int save_all(struct hd_finding *f, struct hd_symbols *s, const char *tmp, int stdin_fd,
                    struct hd_error *err)
{
    char path[PATH_MAX];
    int e = hd_save_input(tmp, "stdin", &f->replay, stdin_fd);
    if (!e)
        e = save_text(tmp, "stdout.txt", f->out, f->out_len);
    if (!e)
        e = save_text(tmp, "stderr.txt", f->err, f->err_len);
    if (!e)
        e = save_report(tmp, f, s);
    if (!e)
        e = save_oracle(tmp, f->oracle);
    if (!e)
        e = save_around(tmp, f->around);
    if (!e)
        e = save_script(tmp, f->script);
    if (!e)
        e = save_readme(tmp, f);
    if (e)
        return e;
    if (snprintf(path, sizeof path, "%s/replay.heddle", tmp) >= (int)sizeof path)
        return -ENAMETOOLONG;
    hd_places_note(&f->replay, f->modules, f->n_modules, s);
    f->replay.beside = f->original.beside = hd_trust_beside(tmp);
    e = hd_replay_save(&f->replay, path, err);
    if (e || !f->decided.is_minimized)
        return e;
    if (snprintf(path, sizeof path, "%s/original.heddle", tmp) >= (int)sizeof path)
        return -ENAMETOOLONG;
    memcpy(f->original.input, f->replay.input, sizeof f->original.input);
    return hd_replay_save(&f->original, path, err);
}

/* Files of ours in a finding's folder. */
static bool is_own(const char *name)
{
    static const char *const own[] = {
        "replay.heddle", "original.heddle", "report.txt",        "report.json",  "stdout.txt",
        "report.html",
        "stderr.txt",    "stdin",           "README",            HD_SCRIPT_FILE, HD_SCRIPT_INPUT,
        HD_SCRIPT_LOG,   HD_ORACLE_CHECK,   HD_ORACLE_EXPECTED,  HD_AROUND_SETUP,
        HD_AROUND_CLEANUP,
    };
    for (u32 i = 0; i < HD_COUNT(own); i++)
        if (!strcmp(name, own[i]))
            return true;
    return hd_replay_is_other(name, "replay") || hd_replay_is_other(name, "original");
}

/* What is not ours goes from the old folder of a finding to the new one. */
static void move_others(const char *old, const char *final)
{
    char from[PATH_MAX + 512], to[PATH_MAX + 512];
    int fd = open(old, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    while (d && (e = readdir(d))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || is_own(e->d_name))
            continue;
        snprintf(from, sizeof from, "%s/%s", old, e->d_name);
        snprintf(to, sizeof to, "%s/%s", final, e->d_name);
        renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    }
    if (d)
        closedir(d);
}

/* The new folder becomes the finding's; `now` is then what was there before, if anything. */
static int put_in_place(const char *now, const char *final)
{
    if (!renameat2(AT_FDCWD, now, AT_FDCWD, final, RENAME_EXCHANGE)) {
        move_others(now, final);
        return 0;
    }
    if (errno == ENOENT && !rename(now, final))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    char old[PATH_MAX]; /* a file system that cannot exchange */
    snprintf(old, sizeof old, "%.*s/old", (int)(strrchr(now, '/') - now), now);
    bool had = !rename(final, old);
    if (rename(now, final)) {
        int e = -errno;
        if (had && rename(old, final))
            return e;
        return e;
    }
    if (had)
        move_others(old, final);
    return 0;
}

static void point_latest(const char *tmp, const char *dir, const char *id)
{
    char link[PATH_MAX + 16], latest[PATH_MAX];
    snprintf(link, sizeof link, "%s/latest", tmp);
    if (snprintf(latest, sizeof latest, "%s/findings/latest", dir) >= (int)sizeof latest)
        return;
    if (!symlink(id, link) && rename(link, latest))
        unlink(link); /* a convenience: not worth an error */
}

/* 0, or negative errno. */
static int save_below(struct hd_finding *f, struct hd_symbols *s, const char *dir, int stdin_fd,
                      struct hd_error *err)
{
    char findings[PATH_MAX - 64], now[PATH_MAX + 16];
    struct hd_tmp tmp;
    if (snprintf(findings, sizeof findings, "%s/findings", dir) >= (int)sizeof findings ||
        snprintf(f->dir, sizeof f->dir, "%s/findings/%s", dir, f->id) >= (int)sizeof f->dir)
        return -ENAMETOOLONG;
    int e = hd_folder_make_own(dir);
    if (!e)
        e = hd_folder_make(findings);
    if (!e)
        e = hd_tmp_make(&tmp, findings, TMP_PREFIX);
    if (e)
        return e;
    snprintf(now, sizeof now, "%s/new", tmp.path);
    e = mkdir(now, 0777) ? -errno : save_all(f, s, now, stdin_fd, err);
    if (!e)
        e = put_in_place(now, f->dir);
    if (!e)
        point_latest(tmp.path, dir, f->id);
    hd_tmp_remove(&tmp);
    return e;
}

int hd_save_finding(struct hd_finding *f, struct hd_symbols *s, const char *dir, int stdin_fd,
                    struct hd_error *err)
{
    char before[sizeof f->dir];
    memcpy(before, f->dir, sizeof before);
    f->is_outdated = false;
    int e = save_below(f, s, dir, stdin_fd, NULL);
    if (!e)
        return 0;
    f->is_outdated = before[0] && !access(before, F_OK); /* that is still a whole finding */
    snprintf(f->dir, sizeof f->dir, "%s", f->is_outdated ? before : "");
    if (f->is_outdated)
        return hd_error_set(err, e,
                            "what became known of the finding since it was saved could not be "
                            "saved: %s. %s holds it as it was found.",
                            strerror(-e), before);
    return hd_error_set(err, e, "the finding could not be saved in %s: %s", dir, strerror(-e));
}
