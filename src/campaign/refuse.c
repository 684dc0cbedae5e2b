/* refuse.c: programs that cannot be tested as they are, and why (refuse.h). */
#include "campaign/refuse.h"
#include "process/tmp.h"
#include "report/clean.h"
#include "script/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS_OF_COMMAND 2 /* enough to see what it is */

bool hd_refuse_is_refusal(const struct hd_campaign *c, const struct hd_snapshot *run)
{
    return run->verdict.kind == HD_V_EXIT && run->stats.threads < 2 && !c->n_findings &&
           c->max_threads < 2;
}

int hd_refuse_refusal(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                      struct hd_error *err)
{
    char text[1024];
    c->is_refused = true;
    ssize_t n = pread(w->err_fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (n > 0 && !o->show_output)
        hd_clean_printf(stderr, "%s%s", text, text[n - 1] == '\n' ? "" : "\n");
    return hd_error_set(err, -ENOEXEC,
                        "nothing was tested: the program ended with status %d before it had a "
                        "second thread%s; if that status is fine, say --exit-ok %d",
                        WEXITSTATUS(w->run.verdict.status), n > 0 ? " (its message is above)" : "",
                        WEXITSTATUS(w->run.verdict.status));
}

int hd_refuse_leftover(struct hd_campaign *c, struct hd_worker *w, const struct hd_finding *f,
                       struct hd_error *err)
{
    const char *word = hd_replay_verdict_word(f->verdict.kind);
    char text[400];
    hd_script_last_words(w->err_fd, text, sizeof text);
    c->is_refused = true;
    return hd_error_set(
        err, -EEXIST,
        "inconclusive: the first run ended well, and the same schedule now ends with '%s'%s%s: "
        "something that runs leave behind (a file, a socket) changes those that follow. "
        "Restore it for each run with --setup CMD or --cleanup CMD, for example --setup "
        "'rm -f FILE'",
        word ? word : "?", text[0] ? " and the message: " : "", text);
}

const char hd_refuse_overwritten[] = "; the program wrote into the memory that it shares with "
                                     "Heddle: look for wild writes";

int hd_refuse_own_bug(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_error *err)
{
    struct hd_replay r;
    char path[512] = "";
    if (o->dir && !hd_folder_make_own(o->dir) &&
        !hd_replay_from_run(&r, &w->run, o->target->path, o->argv)) {
        snprintf(path, sizeof path, "%s/bug.heddle", o->dir);
        hd_replay_save(&r, path, NULL);
        hd_replay_release(&r);
    }
    return hd_error_set(err, -EPROTO, "internal error in Heddle's runtime: %.400s%s%s%s",
                        w->run.verdict.msg, w->run.bad ? hd_refuse_overwritten : "",
                        path[0] ? "; please report it with the schedule in " : "", path);
}

bool hd_refuse_is_command(const struct hd_campaign *c)
{
    return c->runs >= RUNS_OF_COMMAND && c->max_threads < 2 && !c->n_findings &&
           c->uncontrolled >> HD_UNC_CHILD & 1;
}
