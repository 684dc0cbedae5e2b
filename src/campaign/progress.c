/* progress.c: what the user sees while a campaign goes on, on stderr: one line
 * that is rewritten on a terminal, a plain line now and then elsewhere. */
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TERMINAL_NS 200000000ll
#define PLAIN_NS 5000000000ll

void hd_progress_init(struct hd_progress *p, bool quiet)
{
    const char *term = getenv("TERM");
    *p = (struct hd_progress){.is_quiet = quiet};
    p->is_terminal = isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb"));
    p->next_ns = hd_monotonic_ns() + (p->is_terminal ? TERMINAL_NS : PLAIN_NS);
}

static void describe(char *buf, size_t size, const struct hd_campaign *c,
                     const struct hd_campaign_opts *o, u32 threads)
{
    double s = (double)(hd_monotonic_ns() - c->started_ns) / 1e9;
    char of[32] = "";
    if (o->runs)
        snprintf(of, sizeof of, " of %llu", (unsigned long long)o->runs);
    snprintf(buf, size, "heddle: %llu%s runs, %.0f s, %.0f runs/s, %u threads, %u finding%s",
             (unsigned long long)c->runs, of, s, s > 0 ? (double)c->runs / s : 0, threads,
             c->n_findings, c->n_findings == 1 ? "" : "s");
}

void hd_progress_tick(struct hd_progress *p, const struct hd_campaign *c,
                      const struct hd_campaign_opts *o, u32 threads)
{
    s64 now = hd_monotonic_ns();
    char line[160];
    if (p->is_quiet || now < p->next_ns)
        return;
    p->next_ns = now + (p->is_terminal ? TERMINAL_NS : PLAIN_NS);
    describe(line, sizeof line, c, o, threads);
    if (p->is_terminal)
        fprintf(stderr, "\r%s\033[K", line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    p->is_shown = p->is_terminal;
}

void hd_progress_clear(struct hd_progress *p)
{
    if (p->is_shown)
        fputs("\r\033[K", stderr);
    p->is_shown = false;
}
