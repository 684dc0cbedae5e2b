/* save.c: a finding on disk.
 *
 *   .heddle/findings/<id>/   replay.heddle original.heddle report.txt report.json
 *                            stdout.txt stderr.txt stdin README
 *                            check.sh expected-stdout.txt (what judged it, oracle.h)
 *                            script.toml script.run script.log (what drove it, script.h)
 *   .heddle/findings/latest -> <id>
 *
 * Written to a temporary folder that is renamed when complete: whatever goes
 * wrong (full disk, kill), a folder with a finding's name is a whole finding.
 */
#include "campaign/oracle.h"
#include "campaign/places.h"
#include "campaign/script.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int hd_save_folder(const char *path)
{
    if (!mkdir(path, 0777) || errno == EEXIST) {
        struct stat st;
        if (stat(path, &st))
            return -errno;
        return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
    }
    return -errno;
}

static void remove_folder(const char *path)
{
    char name[PATH_MAX];
    DIR *d = opendir(path);
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
            snprintf(name, sizeof name, "%s/%s", path, e->d_name) < (int)sizeof name)
            unlink(name);
    if (d)
        closedir(d);
    rmdir(path);
}

static int open_in(const char *dir, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return fd < 0 ? -errno : fd;
}

static int put(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t k = write(fd, text, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return k < 0 ? -errno : -EIO;
        text += k;
        n -= (size_t)k;
    }
    return 0;
}

static int save_text(const char *dir, const char *name, const char *text, size_t n)
{
    int fd = open_in(dir, name);
    if (fd < 0)
        return fd;
    int e = put(fd, text, n);
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
    return finish(&p, dir, "report.json");
}

int hd_save_reports(const struct hd_finding *f, struct hd_symbols *s, const char *dir)
{
    static const char *const name[] = {"report.txt", "report.json"};
    char tmp[PATH_MAX - 64], from[PATH_MAX], to[PATH_MAX];
    if (snprintf(tmp, sizeof tmp, "%s/.tmp-%d", dir, (int)getpid()) >= (int)sizeof tmp)
        return -ENAMETOOLONG;
    remove_folder(tmp);
    int e = mkdir(tmp, 0777) ? -errno : save_report(tmp, f, s);
    for (u32 i = 0; i < HD_COUNT(name) && !e; i++) {
        snprintf(from, sizeof from, "%s/%s", tmp, name[i]);
        snprintf(to, sizeof to, "%s/%s", dir, name[i]);
        e = rename(from, to) ? -errno : 0;
    }
    remove_folder(tmp);
    return e;
}

int hd_save_input(const char *dir, const char *name, struct hd_replay *r, int stdin_fd)
{
    struct stat st;
    r->input[0] = '\0';
    if (stdin_fd < 0 || fstat(stdin_fd, &st) || !st.st_size)
        return 0;
    int fd = open_in(dir, name);
    if (fd < 0)
        return fd;
    char buf[65536];
    ssize_t n;
    int e = 0;
    for (off_t at = 0; !e && (n = pread(stdin_fd, buf, sizeof buf, at)) > 0; at += n)
        e = put(fd, buf, (size_t)n);
    snprintf(r->input, sizeof r->input, "%s", name);
    if (close(fd) && !e)
        e = -errno;
    return e;
}

/* So that a replay can be judged alike. */
static int save_oracle(const char *dir, const struct hd_oracle *o)
{
    int e = 0;
    if (o && o->check)
        e = save_text(dir, HD_ORACLE_CHECK, o->check, strlen(o->check));
    if (!e && o && o->expect)
        e = save_text(dir, HD_ORACLE_EXPECTED, o->expected, o->n_expected);
    return e;
}

static int save_script(const char *dir, const struct hd_script_kept *k)
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
            "report.json    the same for programs\n"
            "replay.heddle  the schedule that leads to it\n"
            "stdout.txt     what the failing run printed\n"
            "stderr.txt\n", f->program);
    if (f->decided.is_minimized)
        fprintf(p.to, "original.heddle  the longer schedule as it was found\n");
    if (f->replay.input[0])
        fprintf(p.to, "stdin          what the run was given to read\n");
    if (f->oracle && f->oracle->check)
        fprintf(p.to, HD_ORACLE_CHECK "       the command that judges the run\n");
    if (f->oracle && f->oracle->expect)
        fprintf(p.to, HD_ORACLE_EXPECTED "  what it should have printed\n");
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
    return finish(&p, dir, "README");
}

static int save_all(struct hd_finding *f, struct hd_symbols *s, const char *tmp, int stdin_fd,
                    char *err, size_t size)
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
        e = save_script(tmp, f->script);
    if (!e)
        e = save_readme(tmp, f);
    if (e)
        return e;
    if (snprintf(path, sizeof path, "%s/replay.heddle", tmp) >= (int)sizeof path)
        return -ENAMETOOLONG;
    hd_places_note(&f->replay, f->modules, f->n_modules, s);
    e = hd_replay_save(&f->replay, path, err, size);
    if (e || !f->decided.is_minimized)
        return e;
    if (snprintf(path, sizeof path, "%s/original.heddle", tmp) >= (int)sizeof path)
        return -ENAMETOOLONG;
    memcpy(f->original.input, f->replay.input, sizeof f->original.input);
    return hd_replay_save(&f->original, path, err, size);
}

/* tmp becomes the finding; an older one of the same name makes room. */
static int put_in_place(const char *tmp, const char *final)
{
    char old[PATH_MAX];
    if (snprintf(old, sizeof old, "%s.old", tmp) >= (int)sizeof old)
        return -ENAMETOOLONG;
    bool had = !rename(final, old);
    if (rename(tmp, final)) {
        int e = -errno;
        if (had && rename(old, final))
            return e;
        return e;
    }
    if (had)
        remove_folder(old);
    return 0;
}

static void point_latest(const char *dir, const char *id)
{
    char tmp[PATH_MAX], latest[PATH_MAX];
    if (snprintf(tmp, sizeof tmp, "%s/findings/.latest-%d", dir, (int)getpid()) >=
            (int)sizeof tmp ||
        snprintf(latest, sizeof latest, "%s/findings/latest", dir) >= (int)sizeof latest)
        return;
    unlink(tmp);
    if (!symlink(id, tmp) && rename(tmp, latest))
        unlink(tmp); /* a convenience: not worth an error */
}

int hd_save_finding(struct hd_finding *f, struct hd_symbols *s, const char *dir, int stdin_fd,
                    char *err, size_t size)
{
    char findings[PATH_MAX - 64], tmp[PATH_MAX];
    char why[256] = "";
    int e = 0;
    if (snprintf(findings, sizeof findings, "%s/findings", dir) >= (int)sizeof findings ||
        snprintf(f->dir, sizeof f->dir, "%s/findings/%s", dir, f->id) >= (int)sizeof f->dir)
        e = -ENAMETOOLONG;
    if (!e)
        e = hd_save_folder(dir);
    if (!e)
        e = hd_save_folder(findings);
    snprintf(tmp, sizeof tmp, "%s/.tmp-%d", findings, (int)getpid());
    remove_folder(tmp);
    if (!e && mkdir(tmp, 0777))
        e = -errno;
    if (!e)
        e = save_all(f, s, tmp, stdin_fd, why, sizeof why);
    if (!e)
        e = put_in_place(tmp, f->dir);
    if (e) {
        remove_folder(tmp);
        snprintf(err, size, "the finding could not be saved in %s: %s", dir, strerror(-e));
        f->dir[0] = '\0';
        return e;
    }
    point_latest(dir, f->id);
    return 0;
}
