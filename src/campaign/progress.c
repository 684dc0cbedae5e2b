/* progress.c: what the user sees while a campaign goes on, on stderr: on a
 * terminal a small screen that is drawn over itself, elsewhere a plain line now
 * and then. Nothing is longer than the terminal is wide, so that going up by
 * the number of lines always meets the first of them. */
#include "campaign/progress.h"

#include "minimize/minimize.h"
#include "report/clean.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TERMINAL_NS 200000000ll
#define PLAIN_NS 5000000000ll
#define MIN_WIDTH 20
#define MAX_WIDTH 200

void hd_progress_init(struct hd_progress *p, bool quiet)
{
    const char *term = getenv("TERM");
    *p = (struct hd_progress){.is_quiet = quiet};
    p->is_terminal = isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb"));
    p->next_ns = hd_monotonic_ns() + (p->is_terminal ? TERMINAL_NS : PLAIN_NS);
}

/* ---- words ------------------------------------------------------------------------ */

/* "0:07", "12:30", "3 h 05". */
static void put_time(char *buf, size_t size, double s)
{
    u64 t = s > 0 ? (u64)(s + 0.5) : 0;
    if (t >= 36000)
        snprintf(buf, size, "%llu h", (unsigned long long)(t / 3600));
    else if (t >= 3600)
        snprintf(buf, size, "%llu h %02llu", (unsigned long long)(t / 3600),
                 (unsigned long long)(t / 60 % 60));
    else
        snprintf(buf, size, "%llu:%02llu", (unsigned long long)(t / 60),
                 (unsigned long long)(t % 60));
}

/* "1234567" -> "1.2M". */
static void put_count(char *buf, size_t size, u64 n)
{
    if (n < 100000)
        snprintf(buf, size, "%llu", (unsigned long long)n);
    else if (n < 10000000)
        snprintf(buf, size, "%lluk", (unsigned long long)(n / 1000));
    else
        snprintf(buf, size, "%.1fM", (double)n / 1e6);
}

/* Seconds until the budget is used up, by what comes first; < 0: no telling. */
static double time_left(const struct hd_campaign *c, const struct hd_campaign_opts *o, double s)
{
    double left = o->seconds > 0 ? o->seconds - s : -1;
    if (o->runs && c->runs && s > 0) {
        double by_runs = s * ((double)o->runs - (double)c->runs) / (double)c->runs;
        if (left < 0 || by_runs < left)
            left = by_runs;
    }
    return o->seconds > 0 && left < 0 ? 0 : left;
}

/* When coverage of any kind grew last. */
static void read_news(struct hd_progress_view *v, const struct hd_cover *cover, s64 now)
{
    const struct hd_curve_point *last = NULL;
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        const struct hd_curve *c = &cover->curve[m];
        if (c->point.n > 1 && (!last || c->point.at[c->point.n - 1].run > last->run))
            last = &c->point.at[c->point.n - 1];
    }
    v->has_news = last;
    if (!last)
        return;
    v->news_runs = cover->runs - HD_MIN(cover->runs, (u64)last->run);
    v->news_ago = HD_MAX((double)(now - cover->started_ns) / 1e9 - last->seconds, 0.0);
}

void hd_progress_read(struct hd_progress_view *v, const struct hd_campaign *c,
                      const struct hd_campaign_opts *o, u32 threads, s64 now)
{
    double s = (double)(now - c->started_ns) / 1e9;
    memset(v, 0, sizeof *v);
    v->runs = c->runs;
    v->of = o->runs;
    v->seconds = s;
    v->rate = s > 0 ? (double)c->runs / s : 0;
    v->left = time_left(c, o, s);
    v->threads = threads;
    v->findings = c->n_findings;
    v->suppressed = c->suppressed;
    v->program = o->target ? o->target->path : "";
    if (o->director && o->director->progress)
        o->director->progress(o->director, &v->at);
    if (o->cover)
        read_news(v, o->cover, now);
    if (c->n_findings) {
        v->last = c->findings[c->n_findings - 1].id;
        v->last_ago = (double)(now - c->found_ns) / 1e9;
    }
}

/* ---- lines --------------------------------------------------------------------------- */

struct screen {
    char *buf;
    size_t size, n;
    u32 width, lines;
};

HD_PRINTF(2, 3) static void put_line(struct screen *s, const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    for (char *p = text; *p; p++)
        if ((u8)*p < ' ' || (u8)*p > 126) /* one byte, one column */
            *p = '?';
    if (strlen(text) > s->width)
        text[s->width] = '\0';
    int k = snprintf(s->buf + s->n, s->size - s->n, "%s\n", text);
    s->n = HD_MIN(s->n + (size_t)HD_MAX(k, 0), s->size - 1);
    s->lines++;
}

/* The end of a path that does not fit says more than its begin. */
static const char *tail(const char *path, u32 room)
{
    size_t n = strlen(path);
    return n > room ? path + (n - room) : path;
}

static void put_state(struct screen *s, const struct hd_progress_view *v)
{
    char left[32] = "", ago[24];
    if (v->at.has_left && v->at.left)
        snprintf(left, sizeof left, ", %u left", v->at.left);
    if (v->at.phase)
        put_line(s, "  phase     %s%s", v->at.phase, left);
    if (v->at.trying[0])
        put_line(s, "  trying    %s", v->at.trying);
    put_time(ago, sizeof ago, v->news_ago);
    if (v->has_news)
        put_line(s, "  last news %llu run%s ago, %s", (unsigned long long)v->news_runs,
                 v->news_runs == 1 ? "" : "s", ago);
}

u32 hd_progress_screen(char *buf, size_t size, const struct hd_progress_view *v, u32 width)
{
    struct screen s = {.buf = buf, .size = size, .width = HD_MAX(width, (u32)MIN_WIDTH)};
    char runs[24], of[40] = "", used[24], left[48] = "", count[24];
    buf[0] = '\0';
    put_count(runs, sizeof runs, v->runs);
    if (v->of) {
        put_count(count, sizeof count, v->of);
        snprintf(of, sizeof of, " of %s", count);
    }
    put_time(used, sizeof used, v->seconds);
    if (v->left >= 0) {
        char t[24];
        put_time(t, sizeof t, v->left);
        snprintf(left, sizeof left, ", %s left", t);
    }
    put_line(&s, "heddle: %s", tail(v->program, s.width > 8 ? s.width - 8 : 1));
    put_line(&s, "  runs      %s%s, %.0f/s", runs, of, v->rate);
    put_line(&s, "  time      %s%s", used, left);
    put_line(&s, "  threads   %u", v->threads);
    if (v->suppressed)
        put_line(&s, "  findings  %u, %llu suppressed", v->findings,
                 (unsigned long long)v->suppressed);
    else
        put_line(&s, "  findings  %u", v->findings);
    if (v->last) {
        char ago[24];
        put_time(ago, sizeof ago, v->last_ago);
        put_line(&s, "  last new  %s", v->last);
        put_line(&s, "            %s ago", ago);
    }
    put_state(&s, v);
    put_line(&s, "  Ctrl-C ends with a summary");
    return s.lines;
}

void hd_progress_plain(char *buf, size_t size, const struct hd_progress_view *v)
{
    char of[40] = "", left[48] = "", last[64] = "";
    if (v->of)
        snprintf(of, sizeof of, " of %llu", (unsigned long long)v->of);
    if (v->left >= 0) {
        char t[24];
        put_time(t, sizeof t, v->left);
        snprintf(left, sizeof left, ", %s left", t);
    }
    if (v->last)
        snprintf(last, sizeof last, ", last %s", v->last);
    snprintf(buf, size, "heddle: %llu%s runs, %.0f s%s, %.0f runs/s, %u threads, %u finding%s%s\n",
             (unsigned long long)v->runs, of, v->seconds, left, v->rate, v->threads, v->findings,
             v->findings == 1 ? "" : "s", last);
}

/* ---- drawing --------------------------------------------------------------------------- */

static void terminal_size(u32 *width, u32 *height)
{
    struct winsize w = {0};
    ioctl(STDERR_FILENO, TIOCGWINSZ, &w);
    /* The last column stays free: some terminals wrap when it is written. */
    *width = w.ws_col ? HD_MAX((u32)MIN_WIDTH, HD_MIN((u32)w.ws_col, (u32)MAX_WIDTH)) - 1 : 79;
    *height = w.ws_row ? w.ws_row : 24;
}

/* Over the last screen, line by line, so that nothing flickers. */
static void draw(struct hd_progress *p, const char *text, u32 height)
{
    char out[4096];
    size_t n = 0;
    u32 lines = 0;
    if (p->is_visible)
        n = (size_t)snprintf(out, sizeof out, "\r\033[%uA", p->lines);
    while (*text && lines + 1 < height && n + MAX_WIDTH + 16 < sizeof out) {
        size_t k = strcspn(text, "\n");
        memcpy(out + n, text, k);
        n += k;
        memcpy(out + n, "\033[K\n", 4);
        n += 4;
        text += k + (text[k] == '\n');
        lines++;
    }
    n += (size_t)snprintf(out + n, sizeof out - n, "\033[J");
    fwrite(out, 1, n, stderr);
    fflush(stderr);
    p->lines = lines;
    p->is_visible = lines > 0;
}

void hd_progress_tick(struct hd_progress *p, const struct hd_campaign *c,
                      const struct hd_campaign_opts *o, u32 threads)
{
    s64 now = hd_monotonic_ns();
    char text[2048];
    struct hd_progress_view v;
    if (p->is_quiet || now < p->next_ns)
        return;
    p->next_ns = now + (p->is_terminal ? TERMINAL_NS : PLAIN_NS);
    hd_progress_read(&v, c, o, threads, now);
    if (p->is_terminal) {
        u32 width, height;
        terminal_size(&width, &height);
        hd_progress_screen(text, sizeof text, &v, width);
        draw(p, text, height);
        return;
    }
    hd_progress_plain(text, sizeof text, &v);
    hd_clean_put(stderr, text);
    fflush(stderr);
}

void hd_progress_minimize_line(char *buf, size_t size, const struct hd_minimize_state *s)
{
    char used[24];
    put_time(used, sizeof used, s->seconds);
    if (s->is_pair)
        snprintf(buf, size, "heddle: looking for the order that decides: %u runs, %s; Ctrl-C ends it",
                 s->runs, used);
    else
        snprintf(buf, size, "heddle: making it smaller: %llu preemption%s instead of %llu, %u runs, "
                 "%s; Ctrl-C keeps that", (unsigned long long)s->preemptions,
                 s->preemptions == 1 ? "" : "s", (unsigned long long)s->preemptions_before, s->runs,
                 used);
}

void hd_progress_minimize(void *self, const struct hd_minimize_state *s)
{
    struct hd_progress *p = self;
    s64 now = hd_monotonic_ns();
    char text[256];
    if (p->is_quiet || now < p->next_ns)
        return;
    p->next_ns = now + (p->is_terminal ? TERMINAL_NS : PLAIN_NS);
    hd_progress_minimize_line(text, sizeof text, s);
    if (p->is_terminal) {
        u32 width, height;
        terminal_size(&width, &height);
        text[HD_MIN((size_t)width, sizeof text - 1)] = 0;
        draw(p, text, height);
        return;
    }
    hd_clean_put(stderr, text);
    fputc('\n', stderr);
    fflush(stderr);
}

void hd_progress_clear(struct hd_progress *p)
{
    if (p->is_visible)
        fprintf(stderr, "\r\033[%uA\033[J", p->lines);
    p->is_visible = false;
}
