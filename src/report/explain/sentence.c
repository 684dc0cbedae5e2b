/* sentence.c: what happened, in one sentence: kind, variable or lock by name,
 * source lines. What one run cannot prove is called likely. Kinds with much to say have
 * files of their own (sentence.h). */
#include "report/expectation.h"
#include "report/explain/race.h"
#include "report/explain/sentence.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define NAME HD_SENTENCE_NAME
#define MOST_OTHERS 4 /* processes that are named */

void hd_sentence_where(struct hd_model *st, FILE *to, u16 tid)
{
    char who[48], place[NAME], function[64];
    struct hd_srcloc l;
    hd_name_thread(st, tid, who, sizeof who);
    fprintf(to, "%s", who);
    if (!hd_model_where(st, tid, &l))
        return;
    hd_name_place(st, &l, false, place, sizeof place);
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    fprintf(to, ", %s %s", t && t->is_guess ? "last seen at" : "at", place);
    if (l.function) {
        hd_name_function(l.function, 48, function, sizeof function);
        fprintf(to, " in %s()", function);
    }
}

void hd_sentence_event(struct hd_model *st, u32 i, char *who, char *place, char *var)
{
    const struct hd_event *e = &st->f->events[i];
    hd_name_thread(st, e->tid, who, 48);
    hd_name_event(st, i, false, place, NAME);
    if (var)
        hd_name_quoted_of(st, e, var, NAME);
}

static void write_triple(struct hd_model *st, FILE *to)
{
    const struct hd_suspect *p = &st->suspect;
    char who[48], at0[NAME], other[48], at1[NAME], at2[NAME], var[NAME];
    const struct hd_event *e = st->f->events;
    hd_sentence_event(st, p->e[0], who, at0, var);
    hd_sentence_event(st, p->e[1], other, at1, NULL);
    hd_sentence_event(st, p->e[2], who, at2, NULL);
    u8 k0 = e[p->e[0]].kind, k2 = e[p->e[2]].kind;
    const char *a = !strcmp(hd_name_did(k0), "read") ? "read" : "write";
    const char *b = !strcmp(hd_name_did(k2), "read") ? "read" : "write";
    fprintf(to, "%s %s %s at %s ", other, hd_name_did(e[p->e[1]].kind), var, at1);
    if (!strcmp(a, b))
        fprintf(to, "between two %ss by %s (%s and %s)", a, who, at0, at2);
    else
        fprintf(to, "between %s's %s at %s and its %s at %s", who, a, at0, b, at2);
}

bool hd_sentence_suspect(struct hd_model *st, FILE *to)
{
    const struct hd_suspect *p = &st->suspect;
    const struct hd_event *e = st->f->events;
    char who[48], place[NAME], var[NAME], other[48], there[NAME];
    switch (p->kind) {
    case HD_SUSPECT_TRIPLE:
        write_triple(st, to);
        return true;
    case HD_SUSPECT_PAIR:
        hd_sentence_event(st, p->e[0], who, place, var);
        hd_sentence_event(st, p->e[1], other, there, NULL);
        fprintf(to, "%s %s %s at %s before %s %s it at %s", who, hd_name_did(e[p->e[0]].kind), var,
                place, other, hd_name_did(e[p->e[1]].kind), there);
        return true;
    case HD_SUSPECT_PENDING: {
        const struct hd_finding_thread *t = &st->f->threads[p->pending];
        hd_sentence_event(st, p->e[0], who, place, var);
        hd_name_thread(st, t->tid, other, sizeof other);
        struct hd_srcloc l;
        if (hd_model_where(st, t->tid, &l))
            hd_name_place(st, &l, false, there, sizeof there);
        else
            hd_name_site(st, t->op_site, false, there, sizeof there);
        const char *what = t->op_kind == HD_EV_ARMW ? "update" :
                           hd_event_class(t->op_kind) == HD_CLASS_READ ? "read" : "write";
        fprintf(to, "%s %s %s at %s before %s could %s it at %s", who,
                hd_name_did(e[p->e[0]].kind), var, place, other, what, there);
        return true;
    }
    default:
        return false;
    }
}

/* ---- one function per kind -------------------------------------------------------- */

static void write_because(struct hd_model *st, FILE *to)
{
    if (st->suspect.kind == HD_SUSPECT_NONE)
        return;
    fprintf(to, st->suspect.score > 1 ? ", most likely because " : ", possibly because ");
    hd_sentence_suspect(st, to);
}

bool hd_model_last_words(const struct hd_finding *f, char *buf, size_t size)
{
    static const char virtual[] = "pure virtual method called";
    const char *end = f->err ? f->err + f->err_len : NULL, *from;
    char raw[512];
    while (end && end > f->err && strchr("\r\n \t", end[-1]))
        end--;
    for (from = end; from && from > f->err && from[-1] != '\n'; from--)
        ;
    if (!end || from == end)
        return false;
    if (strstr(f->err, virtual)) /* said before the last line */
        snprintf(raw, sizeof raw, "%s", virtual);
    else
        snprintf(raw, sizeof raw, "%.*s", (int)HD_MIN(end - from, (ptrdiff_t)sizeof raw - 1), from);
    hd_paint_cut(buf, size, raw, 180);
    return buf[0];
}

/* "std::out_of_range: index 3" of what the C++ library says before it ends the program. */
bool hd_model_exception(const struct hd_finding *f, char *buf, size_t size)
{
    static const char thrown[] = "terminate called after throwing an instance of '";
    const char *text = f->err ? strstr(f->err, thrown) : NULL;
    if (!text || f->verdict.kind != HD_V_ASSERT)
        return false;
    text += sizeof thrown - 1;
    size_t n = strcspn(text, "'\n");
    const char *what = strstr(text, "\n  what():  ");
    char raw[400];
    snprintf(raw, sizeof raw, "%.*s", (int)HD_MIN(n, (size_t)120), text);
    if (what && what == text + strcspn(text, "\n")) {
        what += strlen("\n  what():  ");
        size_t used = strlen(raw);
        if (!strncmp(what, raw, used)) /* it begins with its type */
            used = 0;
        snprintf(raw + used, sizeof raw - used, "%s%.*s", used ? ": " : "",
                 (int)HD_MIN(strcspn(what, "\n"), (size_t)240), what);
    }
    hd_paint_cut(buf, size, raw, 180);
    return true;
}

static void write_assert(struct hd_model *st, FILE *to)
{
    char text[200];
    const char *msg = st->f->verdict.msg;
    if (st->assert_text[0]) {
        hd_paint_cut(text, sizeof text, st->assert_text, 160);
        fprintf(to, "The assertion `%s` failed in ", text);
    } else if (msg[0]) {
        hd_paint_cut(text, sizeof text, msg, 160);
        fprintf(to, "The program aborted (\"%s\") in ", text);
    } else if (hd_model_exception(st->f, text, sizeof text)) {
        fprintf(to, "An exception was not caught (%s) in ", text);
    } else if (hd_model_last_words(st->f, text, sizeof text)) {
        fprintf(to, "The program called abort() after it wrote \"%s\", in ", text);
    } else {
        fprintf(to, "The program called abort() in ");
    }
    hd_sentence_where(st, to, st->f->verdict.tid);
    write_because(st, to);
}

static void write_signal(struct hd_model *st, FILE *to)
{
    const struct hd_verdict *v = &st->f->verdict;
    char name[NAME];
    if (v->msg[0]) { /* no fault: HD_SENT_BY_... */
        hd_paint_cut(name, sizeof name, v->msg, 80);
        fprintf(to, "The program was ended by %s, %s, in ", hd_name_signal(v->signo), name);
        hd_sentence_where(st, to, v->tid);
        write_because(st, to);
        return;
    }
    switch (v->signo) {
    case SIGSEGV: case SIGBUS:
        fprintf(to, "The program crashed (%s): ", hd_name_signal(v->signo));
        hd_sentence_where(st, to, v->tid);
        if (!hd_model_has_address(v))
            fprintf(to, ", used a pointer that is no address at all");
        else if (v->addr == v->pc && v->addr < 4096)
            fprintf(to, ", called a null pointer");
        else if (v->addr == v->pc)
            fprintf(to, ", jumped to the invalid address 0x%llx", (unsigned long long)v->addr);
        else if (v->addr < 4096)
            fprintf(to, v->addr ? ", used a null pointer (address 0x%llx)" : ", used a null pointer",
                    (unsigned long long)v->addr);
        else if (hd_symbols_data(st->s, v->addr, name, sizeof name, NULL))
            fprintf(to, ", made an invalid access to `%s`", name);
        else
            fprintf(to, ", accessed the invalid address 0x%llx", (unsigned long long)v->addr);
        break;
    case SIGFPE:
        fprintf(to,
                "The program crashed (SIGFPE, arithmetic error such as a division by zero) in ");
        hd_sentence_where(st, to, v->tid);
        break;
    default:
        fprintf(to, "The program was ended by %s in ", hd_name_signal(v->signo));
        hd_sentence_where(st, to, v->tid);
    }
    write_because(st, to);
}

/* "Account.Withdraw: Expected equality of these values: balance 70, 60 at account_test.cc:31" */
static bool write_expectation(struct hd_model *st, FILE *to)
{
    struct hd_expectation e;
    char text[sizeof e.text + 64];
    if (!hd_expectation_find(st->f, &e))
        return false;
    hd_paint_cut(text, sizeof text, e.test[0] ? e.test : "A test", 120);
    fprintf(to, "%s%s", text, e.test[0] ? "" : " failed");
    hd_paint_cut(text, sizeof text, e.text, sizeof e.text);
    if (text[0])
        fprintf(to, ": %s", text);
    const char *slash = strrchr(e.file, '/');
    hd_paint_cut(text, sizeof text, slash ? slash + 1 : e.file, 100);
    if (e.line)
        fprintf(to, " at %s:%u", text, e.line);
    return true;
}

static void write_exit(struct hd_model *st, FILE *to)
{
    s32 status = st->f->verdict.status;
    if (write_expectation(st, to)) {
        write_because(st, to);
        return;
    }
    if (WIFEXITED(status) && hd_model_has_returned(st)) {
        fprintf(to, "The program ended with exit status %d, returned by main()",
                WEXITSTATUS(status));
        write_because(st, to);
        return;
    }
    if (WIFEXITED(status))
        fprintf(to, st->f->verdict.pc ? "The program ended with exit status %d (exit was called by "
                : "The program ended with exit status %d (last to run: ", WEXITSTATUS(status));
    else
        fprintf(to, "The program ended abnormally (%s; last to run: ",
                hd_name_signal(WTERMSIG(status)));
    hd_sentence_where(st, to, st->f->verdict.tid);
    fputc(')', to);
    write_because(st, to);
}

static void write_diverged(struct hd_model *st, FILE *to)
{
    const struct hd_diverged *d = &st->f->verdict.diverged;
    char want[48], got[48], place[NAME];
    hd_name_thread(st, d->want_tid, want, sizeof want);
    hd_name_thread(st, d->got_tid, got, sizeof got);
    fprintf(to, "The recorded schedule could not be followed past step %llu",
            (unsigned long long)d->step);
    if (st->f->verdict.msg[0])
        fprintf(to, " (%s)", st->f->verdict.msg);
    hd_name_site(st, d->want_site, false, place, sizeof place);
    fprintf(to, ": it wants %s", want);
    if (d->want_site)
        fprintf(to, " at %s", place);
    hd_name_site(st, d->got_site, false, place, sizeof place);
    if (d->got_site)
        fprintf(to, ", but %s is at %s", d->got_tid == d->want_tid ? "it" : got, place);
}

/* A message of several lines as one. */
static void write_lines(FILE *to, const char *msg)
{
    char cut[320];
    while (*msg) {
        size_t n = strcspn(msg, "\n");
        char line[320];
        snprintf(line, sizeof line, "%.*s", (int)HD_MIN(n, sizeof line - 1), msg);
        hd_paint_cut(cut, sizeof cut, line, 300);
        msg += n + (msg[n] == '\n');
        fprintf(to, "%s%s", cut, *msg ? ": " : "");
    }
}

void hd_sentence(struct hd_model *st, FILE *to)
{
    const struct hd_verdict *v = &st->f->verdict;
    char text[HD_COUNT(v->msg)];
    if (hd_race_is(st->f)) {
        hd_race_sentence(st, to);
        fputc('.', to);
        return;
    }
    hd_paint_cut(text, sizeof text, v->msg, sizeof text - 1);
    switch (v->kind) {
    case HD_V_ASSERT: write_assert(st, to); break;
    case HD_V_SIGNAL: write_signal(st, to); break;
    case HD_V_EXIT: write_exit(st, to); break;
    case HD_V_HEAP: hd_sentence_heap(st, to); break;
    case HD_V_MISUSE: hd_sentence_misuse(st, to); break;
    case HD_V_HANG: hd_sentence_hang(st, to); break;
    case HD_V_DIVERGED: write_diverged(st, to); break;
    case HD_V_DEADLOCK: hd_sentence_deadlock(st, to); break;
    case HD_V_CHECK:
        if (!v->pc) { /* the host's: the run itself went well */
            if (strncmp(v->msg, "The ", 4)) /* a script's message is a sentence */
                fprintf(to, "The check after the run failed: ");
            write_lines(to, v->msg);
            write_because(st, to);
            break;
        }
        snprintf(text, sizeof text, "%.*s", (int)strcspn(v->msg, "\n"), v->msg); /* the rest is evidence */
        hd_paint_cut(text, sizeof text, text, sizeof text - 1);
        fprintf(to, "The check%s%s%s failed in ", text[0] ? " \"" : "", text, text[0] ? "\"" : "");
        hd_sentence_where(st, to, v->tid);
        write_because(st, to);
        break;
    case HD_V_OUTPUT:
        fprintf(to, "The program's output is not the one expected: ");
        write_lines(to, v->msg);
        write_because(st, to);
        break;
    case HD_V_LIMIT:
        fprintf(to, "The run was ended by a limit of Heddle");
        break;
    case HD_V_BUG:
        fprintf(to, "Heddle itself failed: %s", text);
        break;
    case HD_V_ENV:
        fprintf(to, "The run could not be carried out: %s", text);
        break;
    case HD_V_CLEAN:
        fprintf(to, "The program ended normally");
        break;
    default:
        fprintf(to, "The program was killed before it could say why");
    }
    fputc('.', to);
}

/* Which of several processes of a command it is about. */
void hd_sentence_process(const struct hd_finding *f, FILE *to)
{
    char name[256];
    const struct hd_replay *r = &f->replay;
    u32 n = r->others ? r->n_others : 0;
    if (!n)
        return;
    hd_replay_process(r, name, sizeof name);
    fprintf(to, " It is the process %s of the command; controlled as well: ", name);
    for (u32 i = 0; i < n && i < MOST_OTHERS; i++) {
        hd_replay_process(&r->others[i], name, sizeof name);
        fprintf(to, "%s%s", i ? "; " : "", name);
    }
    if (n > MOST_OTHERS)
        fprintf(to, "; and %u more", n - MOST_OTHERS);
    fputc('.', to);
}

void hd_report_title(const struct hd_finding *f, struct hd_symbols *s, char *buf, size_t size)
{
    struct hd_model st;
    if (!size)
        return;
    FILE *to = fmemopen(buf, size, "w");
    buf[0] = 0;
    if (!to)
        return;
    setbuf(to, NULL);
    hd_model_init(&st, f, s);
    hd_sentence(&st, to);
    hd_sentence_process(f, to);
    hd_model_release(&st);
    fclose(to);
    buf[size - 1] = 0;
}
