/* stacks.c: where every thread was when the run ended.
 *
 * Threads the finding speaks of come first, each with its stack; the others
 * are grouped by equal stack and state, because a pool of a thousand idle
 * workers is one fact, not a thousand.
 */
#include "report/explain/model.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 64   /* frames printed per stack */
#define MAX_GROUPS 12

static void print_frame(FILE *to, struct hd_model *st, const struct hd_srcloc *l, u32 number,
                        const struct hd_paint *p)
{
    char function[128], name[160], place[320], cut[320];
    bool is_wide = p->width >= 72;
    int name_width = is_wide ? 22 : HD_MAX(p->width - 24, 10);
    const char *slash = l->module ? strrchr(l->module, '/') : NULL;
    if (!l->file && l->function && slash) /* the function is named already */
        snprintf(place, sizeof place, "%s", slash + 1);
    else
        hd_name_place(st, l, false, place, sizeof place);
    if (l->file && 9 + name_width + (int)strlen(place) > p->width)
        hd_name_place(st, l, true, place, sizeof place);
    const char *mark = l->is_inlined ? " (inlined)" : "";
    int room = HD_MAX(p->width - 9 - (int)strlen(place) - (int)strlen(mark), 10);
    hd_name_function(l->function ? l->function : "??", (size_t)HD_MIN(room, 60), function,
                     sizeof function);
    snprintf(name, sizeof name, "%s%s", function, mark);
    int used = fprintf(to, "    #%-2u %-*s %s", number, name_width, name, place);
    const char *text = hd_symbols_source(st->s, l);
    if (text) {
        int column = HD_MAX(used, 8 + name_width + 16);
        bool is_same_line = is_wide && column + 2 + 16 <= p->width;
        if (is_same_line)
            fprintf(to, "%*s", column + 2 - used, "");
        else
            fprintf(to, "\n%*s", 8, "");
        hd_paint_cut(cut, sizeof cut, text,
                     (size_t)HD_MAX(p->width - (is_same_line ? column + 2 : 8), 16));
        hd_paint_on(to, p, HD_DIM);
        fputs(cut, to);
        hd_paint_off(to, p);
    }
    fputc('\n', to);
}

void hd_stacks_frames(FILE *to, struct hd_model *st, const struct hd_finding_thread *t,
                      const struct hd_paint *p)
{
    struct hd_srcloc l[MAX_FRAMES + 1];
    u32 n = hd_model_frames(st, t, l, MAX_FRAMES + 1);
    for (u32 i = 0; i < n && i < MAX_FRAMES; i++) {
        print_frame(to, st, &l[i], i, p);
        if (i == 0 && t->frames_lost)
            fprintf(to, "    ... %u calls too deep to be recorded ...\n", t->frames_lost);
    }
    if (n > MAX_FRAMES)
        fprintf(to, "    ... more calls ...\n");
}

/* ---- one thread --------------------------------------------------------------------- */

static void write_state(FILE *to, struct hd_model *st, const struct hd_finding_thread *t)
{
    const struct hd_verdict *v = &st->f->verdict;
    char wait[320];
    if (t->tid == v->tid && !t->is_guess &&
        (v->kind == HD_V_ASSERT || v->kind == HD_V_SIGNAL || v->kind == HD_V_CHECK ||
         v->kind == HD_V_HEAP || (v->kind == HD_V_MISUSE && v->misuse.kind != HD_MISUSE_LEAK))) {
        fprintf(to, "failed here");
        return;
    }
    switch (t->state) {
    case HD_T_NEW:
        fprintf(to, "was being created");
        break;
    case HD_T_PENDING:
        hd_name_thread_wait(st, t, t->op_obj, wait, sizeof wait);
        fprintf(to, "%s", wait);
        break;
    case HD_T_BLOCKED_OUTSIDE:
        fprintf(to, "was in a system call");
        break;
    case HD_T_FINISHED:
        fprintf(to, "had ended");
        break;
    default:
        if (t->tid == v->tid && hd_model_has_returned(st))
            fprintf(to, "had returned from main()");
        else
            fprintf(to, t->is_guess ? "was running, last seen here" : "was running");
    }
}

static void write_held(FILE *to, struct hd_model *st, u16 tid)
{
    u32 n = 0;
    for (u32 i = 0; i < st->held.v.n; i++) {
        const struct hd_held *h = &st->held.v.at[i];
        if (h->tid != tid)
            continue;
        char name[320], place[320];
        hd_name_quoted(st, st->f->events[h->event].kind, h->obj, name, sizeof name);
        struct hd_srcloc l;
        hd_model_place(st, &st->f->events[h->event], h->event, &l);
        hd_name_place(st, &l, false, place, sizeof place);
        fprintf(to, "%s%s", n++ ? ", " : "; holds ", name);
        if (hd_model_is_users(&l))
            fprintf(to, " (taken at %s)", place);
        if (n == 8) {
            fprintf(to, ", ...");
            return;
        }
    }
}

static void print_thread(FILE *to, struct hd_model *st, const struct hd_finding_thread *t,
                         const char *who, const struct hd_paint *p)
{
    char *text = NULL, place[320], parent[48];
    size_t len;
    FILE *head = open_memstream(&text, &len);
    HD_ASSERT(head);
    fprintf(head, "%s ", who);
    write_state(head, st, t);
    write_held(head, st, t->tid);
    if (t->create_site && t->tid) {
        struct hd_srcloc l;
        hd_name_thread(st, t->parent, parent, sizeof parent);
        fprintf(head, "; created by %s", parent);
        if (hd_model_created(st, t->tid, &l)) {
            hd_name_place(st, &l, false, place, sizeof place);
            fprintf(head, " at %s", place);
        }
    }
    struct hd_srcloc frames[MAX_FRAMES];
    fputc(hd_model_frames(st, t, frames, MAX_FRAMES) ? ':' : '.', head);
    fclose(head);
    hd_paint_wrap(to, p, text, 2, 4);
    free(text);
    hd_stacks_frames(to, st, t, p);
}

/* ---- groups --------------------------------------------------------------------------- */

static bool is_same(const struct hd_finding_thread *a, const struct hd_finding_thread *b)
{
    return a->state == b->state && a->op_kind == b->op_kind && a->op_obj == b->op_obj &&
           a->create_site == b->create_site && a->n_frames == b->n_frames &&
           !memcmp(a->frames, b->frames, a->n_frames * sizeof *a->frames);
}

static bool is_involved(const struct hd_finding *f, u16 tid)
{
    const struct hd_verdict *v = &f->verdict;
    if (v->kind == HD_V_DEADLOCK) {
        for (u32 i = 0; i < v->cycle.n && i < 8; i++)
            if (v->cycle.tid[i] == tid)
                return true;
        return false;
    }
    return v->kind == HD_V_MISUSE ? v->misuse.tid == tid : v->tid == tid;
}

/* "T1, T3-T9" from the threads of one group. */
static void write_tids(const struct hd_model *st, const u32 *group, u32 g, char *buf, size_t size)
{
    const struct hd_finding *f = st->f;
    u32 i = 0, count = 0, parts = 0;
    size_t n = 0;
    buf[0] = 0;
    for (u32 k = 0; k < f->n_threads; k++)
        count += group[k] == g;
    while (i < f->n_threads && n + 40 < size) {
        if (group[i] != g) {
            i++;
            continue;
        }
        u32 j = i;
        while (j + 1 < f->n_threads && group[j + 1] == g &&
               f->threads[j + 1].tid == f->threads[j].tid + 1)
            j++;
        if (parts++ == 6) {
            n += (size_t)snprintf(buf + n, size - n, ", ...");
            break;
        }
        n += (size_t)snprintf(buf + n, size - n, "%sT%u", parts > 1 ? ", " : "", f->threads[i].tid);
        if (j > i)
            n += (size_t)snprintf(buf + n, size - n, "%sT%u", j == i + 1 ? ", " : "-",
                                  f->threads[j].tid);
        i = j + 1;
    }
    if (count == 1) {
        for (i = 0; group[i] != g; i++)
            ;
        hd_name_thread(st, f->threads[i].tid, buf, size);
    } else if ((count > 2 || g) && n + 40 < size) {
        snprintf(buf + n, size - n, " (%u threads, each)", count);
    }
}

void hd_stacks_print(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    enum { ENDED = 0, INVOLVED = 1, FIRST = 2 };
    const struct hd_finding *f = st->f;
    u32 *group = calloc(f->n_threads + 1, sizeof *group);
    HD_ASSERT(group);
    u32 n = FIRST, ended = 0, left_out = 0;
    u32 first[MAX_GROUPS];
    char who[400];
    for (u32 i = 0; i < f->n_threads; i++) {
        const struct hd_finding_thread *t = &f->threads[i];
        if (is_involved(f, t->tid)) {
            group[i] = INVOLVED;
            hd_name_thread(st, t->tid, who, sizeof who);
            print_thread(to, st, t, who, p);
        } else if (t->state == HD_T_FINISHED) {
            group[i] = ENDED;
            ended++;
        } else {
            u32 g = FIRST;
            while (g < n && !is_same(t, &f->threads[first[g - FIRST]]))
                g++;
            if (g == n && n - FIRST == MAX_GROUPS) {
                group[i] = ~0u;
                left_out++;
                continue;
            }
            if (g == n)
                first[n++ - FIRST] = i;
            group[i] = g;
        }
    }
    for (u32 g = FIRST; g < n; g++) {
        write_tids(st, group, g, who, sizeof who);
        print_thread(to, st, &f->threads[first[g - FIRST]], who, p);
    }
    if (left_out)
        fprintf(to, "  %u more threads with other stacks are not shown.\n", left_out);
    if (ended) {
        char line[480];
        write_tids(st, group, ENDED, who, sizeof who);
        snprintf(line, sizeof line, "Ended before: %s.", who);
        char *each = strstr(line, ", each)");
        if (each)
            memmove(each, each + 6, strlen(each + 6) + 1);
        hd_paint_wrap(to, p, line, 2, 4);
    }
    free(group);
}
