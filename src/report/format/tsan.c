/* tsan.c: a race in the words of ThreadSanitizer, for tools that read its reports. What it cannot
 * say (both orders, what comes of them) is in a line of its own that such tools pass over.
 * Findings that are no race have no such text. */
#include "report/explain/race.h"

#include <string.h>
#include <unistd.h>

#define FRAMES 16

static void print_frame(FILE *to, struct hd_model *st, u64 pc, bool is_return, u32 *n)
{
    struct hd_srcloc l[FRAMES];
    int found = hd_symbols_code(st->s, pc, is_return, l, FRAMES);
    for (int i = 0; i < HD_MAX(found, 1); i++) {
        const char *module = l[i].module ? strrchr(l[i].module, '/') : NULL;
        fprintf(to, "    #%u %s ", (*n)++, l[i].function ? l[i].function : "<null>");
        if (l[i].file)
            fprintf(to, "%s%s%s:%d ", l[i].file[0] != '/' && l[i].dir ? l[i].dir : "",
                    l[i].file[0] != '/' && l[i].dir ? "/" : "", l[i].file, l[i].line);
        else
            fprintf(to, "<null> ");
        fprintf(to, "(%s+0x%llx)\n", module ? module + 1 : l[i].module ? l[i].module : "?",
                (unsigned long long)l[i].offset);
    }
}

static void print_thread_name(FILE *to, u16 tid)
{
    if (tid)
        fprintf(to, "thread T%u", tid);
    else
        fprintf(to, "main thread");
}

static void print_access(FILE *to, struct hd_model *st, u32 i, bool is_later)
{
    const struct hd_event *e = &st->f->events[i];
    const struct hd_detail *d = hd_model_detail(st, i);
    u32 effects = hd_effects(e), n = 0;
    fprintf(to, "  %s%s%s of size %u at 0x%012llx by ", is_later ? "" : "Previous ",
            effects & HD_ATOMIC ? is_later ? "Atomic " : "atomic " : "",
            effects & HD_WRITES ? is_later && !(effects & HD_ATOMIC) ? "Write" : "write"
            : is_later && !(effects & HD_ATOMIC) ? "Read"
                                                 : "read",
            e->size, (unsigned long long)e->obj);
    print_thread_name(to, e->tid);
    fprintf(to, ":\n");
    print_frame(to, st, e->site, true, &n);
    for (u32 k = 0; d && k < HD_MIN(d->n_callers, (u32)HD_DETAIL_CALLERS); k++)
        print_frame(to, st, d->caller[k], true, &n);
    fputc('\n', to);
}

static void print_location(FILE *to, struct hd_model *st, const struct hd_event *e)
{
    char name[320];
    if (hd_symbols_data(st->s, e->obj, name, sizeof name, NULL))
        fprintf(to, "  Location is global '%s' of size %u at 0x%012llx\n\n", name, e->size,
                (unsigned long long)e->obj);
}

static void print_created(FILE *to, struct hd_model *st, u16 tid)
{
    for (u32 i = 0; tid && i < st->f->n_events; i++) {
        const struct hd_event *e = &st->f->events[i];
        u32 n = 0;
        if (e->kind != HD_EV_CREATE || e->obj != tid)
            continue;
        fprintf(to, "  Thread T%u (tid=%u, running) created by ", tid, tid);
        print_thread_name(to, e->tid);
        fprintf(to, " at:\n    #%u pthread_create <null> (libtsan.so.2+0x0)\n", n++);
        print_frame(to, st, e->site, true, &n);
        fputc('\n', to);
        return;
    }
}

bool hd_report_tsan(FILE *to, const struct hd_finding *f, struct hd_symbols *s)
{
    struct hd_model st;
    struct hd_srcloc l;
    u32 e[2];
    if (!hd_race_is(f) || f->race.step[2])
        return false;
    for (u32 k = 0; k < 2; k++)
        if ((e[k] = hd_race_find(f, k)) == ~0u || hd_space_of(f->events[e[k]].kind) != HD_SPACE_MEMORY)
            return false;
    hd_model_init(&st, f, s);
    fprintf(to, "==================\nWARNING: ThreadSanitizer: data race (pid=%d)\n", (int)getpid());
    print_access(to, &st, e[1], true);
    print_access(to, &st, e[0], false);
    print_location(to, &st, &f->events[e[1]]);
    for (u32 k = 2; k-- > 0;)
        print_created(to, &st, f->events[e[k]].tid);
    hd_model_place(&st, &f->events[e[1]], e[1], &l);
    fprintf(to, "  Heddle: %s: %s\n\n", f->id, hd_race_class_text(f->race.class));
    fprintf(to, "SUMMARY: ThreadSanitizer: data race %s:%d in %s\n==================\n",
            l.file ? l.file : "<null>", l.line, l.function ? l.function : "<null>");
    hd_model_release(&st);
    return true;
}
