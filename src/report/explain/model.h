/* model.h: a finding made ready for telling; shared by the files of report/.
 *
 *   model.c     set up: which locks are held, what each thread's stack is
 *   values.c    values and callers that a replay noted
 *   names.c     threads, places, functions, actions as words
 *   objects.c   variables, locks, unnamed objects as words
 *   expression.c  how source lines call locks
 *   held.c      who holds which lock when
 *   suspect.c   the conflicting accesses that most likely decided
 *   refine.c    lost wake-up, livelock, spin: kinds of standing still
 *   sentence*.c what happened, in one sentence (sentence.h)
 *   decided.c   the order that decides, if it was verified
 *   steps.c     events -> rows: repeats folded, reasons of switches
 *   stacks.c    where every thread was, equal stacks grouped
 *   columns.c   rows -> a table with one column per thread
 *   arrows.c    which event depends on which of another thread
 *   text.c, json_finding.c, sarif.c, junit.c, trace.c   the formats
 *   suppress.c  findings the user does not want to see
 */
#ifndef HD_MODEL_H
#define HD_MODEL_H

#include "base/vec.h"
#include "event/effect.h"
#include "report/finding.h"

/* ---- locks (held.c) --------------------------------------------------------- */

struct hd_held {
    u64 obj;
    u16 tid;
    u32 depth; /* recursive locks, readers */
    u32 event; /* index of the event that took it */
};
struct hd_held_set {
    HD_VEC(struct hd_held) v;
};
/* Takes note of event i. Steps must come in order, from the first known one. */
void hd_held_step(struct hd_held_set *h, const struct hd_finding *f, u32 i);
/* Entry of `obj`, by `tid` or (HD_NO_THREAD) anybody; NULL if none is known. */
const struct hd_held *hd_held_find(const struct hd_held_set *h, u64 obj, u16 tid);
void hd_held_release(struct hd_held_set *h);

/* ---- suspects (suspect.c) ---------------------------------------------------- */

enum hd_suspect_kind {
    HD_SUSPECT_NONE,
    HD_SUSPECT_PAIR,    /* e[0] then e[1] */
    HD_SUSPECT_PENDING, /* e[0] by the failing thread came before what `pending` was about to do */
    HD_SUSPECT_TRIPLE,  /* e[0] and e[2] of one thread, e[1] of another in between */
};
struct hd_suspect {
    enum hd_suspect_kind kind;
    u32 e[3];    /* event indices */
    u32 pending; /* index in f->threads */
    int score;   /* suspect.c; 1 = only a possibility */
};

/* ---- the trace --------------------------------------------------------------- */

#define HD_MODEL_LABELS 26

/* An object without a name of its own, told apart by a letter. */
struct hd_label {
    u64 obj;
    u8 kind; /* of the first event that named it */
    u32 alloc; /* index of the event that allocated it, ~0u if not known */
    u64 size;  /* bytes of its block, 0 if it is in none that is known */
    const struct hd_event *at; /* as hd_model.at when it got its letter */
};

struct hd_model {
    const struct hd_finding *f;
    struct hd_symbols *s;
    struct hd_held_set held; /* when the run ended */
    struct hd_cycle cycle;   /* the verdict's, beginning with its lowest thread */
    struct hd_suspect suspect;
    struct hd_label label[HD_MODEL_LABELS];
    u32 n_labels, n_explained; /* given; told what they stand for */
    const struct hd_event *at; /* one of f->events that is being told of: a place of a stack has the
                                  name of the variable that was there then. NULL: the last one */
    char cwd[512];
    /* where an assertion says it stands */
    char assert_file[256], assert_function[128], assert_text[400];
    int assert_line;
};

void hd_model_init(struct hd_model *st, const struct hd_finding *f, struct hd_symbols *s);
void hd_model_release(struct hd_model *st);

const struct hd_finding_thread *hd_model_thread(const struct hd_model *st, u16 tid);
/* Stack of a thread, innermost first, inlined frames apart, without the
 * runtime's own frames and those of libraries below the user's first function.
 * Returns how many were written. */
u32 hd_model_frames(const struct hd_model *st, const struct hd_finding_thread *t,
                    struct hd_srcloc *out, u32 max);
/* The innermost frame in the user's code, else the innermost; false if there
 * is none. */
bool hd_model_where(const struct hd_model *st, u16 tid, struct hd_srcloc *out);
/* Position of a site. Of inlined frames the innermost in the user's code:
 * people look for their own line, not for one of the C++ library. */
void hd_model_site(const struct hd_model *st, u64 site, struct hd_srcloc *out);
/* Code the user wrote: not libc, not a header of the C++ library. */
bool hd_model_is_users(const struct hd_srcloc *l);
void hd_suspect_find(struct hd_model *st);
/* Where a thread was created, in the user's code; false if that is not known. */
bool hd_model_created(const struct hd_model *st, u16 tid, struct hd_srcloc *out);
/* The write by which the heap takes a block back: the FREE event follows it. */
bool hd_model_is_free(const struct hd_finding *f, u32 event);
/* Does a fatal signal tell which address was touched? Not for those that are no address at
 * all (not canonical): the processor keeps it to itself. */
bool hd_model_has_address(const struct hd_verdict *v);
/* The last line the program wrote to stderr; false if there is none. */
bool hd_model_last_words(const struct hd_finding *f, char *buf, size_t size);
/* The exception nobody caught, "std::out_of_range: text"; false if it was none. */
bool hd_model_exception(const struct hd_finding *f, char *buf, size_t size);
/* Did main return (or the process end without a call of exit())? */
bool hd_model_has_returned(const struct hd_model *st);
/* Is it an event that people want to see in an order of steps? */
bool hd_model_is_visible(const struct hd_model *st, u32 event);

/* ---- words (names.c, objects.c); all write NUL-terminated text to buf -------------------- */

void hd_name_thread(const struct hd_model *st, u16 tid, char *buf, size_t size);
/* "bank.c:12"; the last part of the file's path if `is_short`. */
void hd_name_place(const struct hd_model *st, const struct hd_srcloc *l, bool is_short, char *buf,
                   size_t size);
/* The place of an event, and of a call in the user's code that led there if it is known. */
void hd_name_event(const struct hd_model *st, u32 event, bool is_short, char *buf, size_t size);
void hd_name_site(const struct hd_model *st, u64 site, bool is_short, char *buf, size_t size);
/* The place of the innermost call in the user's code of a short stack. */
void hd_name_stack_site(const struct hd_model *st, const u64 *pc, u32 n, char *buf, size_t size);
/* "ns::f<..>::g", at most max characters. */
void hd_name_function(const char *name, size_t max, char *buf, size_t size);
bool hd_name_has_object(u8 kind);
/* Name of an object; false if it had to make one up ("object A"). */
bool hd_name_object(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size);
/* The same in quotes if it is a name from the source. */
void hd_name_quoted(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size);
/* The same of what an event touched. */
bool hd_name_object_of(struct hd_model *st, const struct hd_event *e, char *buf, size_t size);
void hd_name_quoted_of(struct hd_model *st, const struct hd_event *e, char *buf, size_t size);
/* Looks at a file or changes one, and waits for nobody. */
bool hd_is_file_call(const struct hd_event *e);
/* Name of a variable with a fixed address, or of a local one of the main thread; false if it is none. */
bool hd_name_variable(const struct hd_model *st, u64 obj, char *buf, size_t size);
/* The same with what is known of it: "`stats.hits` (int, in struct cache at cache.c:12)". */
void hd_name_typed(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size);
/* "write balance", "lock a", "create T1". */
void hd_name_action(struct hd_model *st, const struct hd_event *e, char *buf, size_t size);
/* "waits for `a`", "waits for T1 to end"; for a thread that cannot go on. */
void hd_name_wait(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size);
/* The same of thread t, with what is known of it besides: "... (it was 2)". */
void hd_name_thread_wait(struct hd_model *st, const struct hd_finding_thread *t, u64 obj, char *buf,
                         size_t size);
/* "read", "wrote", "updated", ... */
const char *hd_name_did(u8 kind);
/* "write", "lock", ...: noun and verb in one; and how its object follows: "of", "on", "to". */
const char *hd_name_deed(const struct hd_event *e);
const char *hd_name_deed_link(const struct hd_event *e);
const char *hd_name_signal(int signo);
/* What a line of source calls the lock or condition that an event of this kind uses
 * (expression.c); false if it cannot be read off for sure. */
bool hd_expression(const char *text, u8 kind, char *buf, size_t size);
/* What is known about label i: "A: 0x..., byte 8 of the 24 bytes allocated at q.c:10". */
void hd_name_label(const struct hd_model *st, u32 i, char *buf, size_t size);
/* Texts of the bits of stats.uncontrolled. */
const char *hd_name_uncontrolled(u32 bit);
/* ... and what could therefore not be explored. */
const char *hd_name_unexplored(u32 bit);

/* "A+8" for an address in a block that is known; false if it is in none. */
bool hd_name_block(struct hd_model *st, u64 addr, char *buf, size_t size);

/* ---- values.c ------------------------------------------------------------------ */

/* What a replay noted about an event; NULL if there was none. */
const struct hd_detail *hd_model_detail(const struct hd_model *st, u32 event);
/* "= 3" or "3 -> 4", from before `event` to after `last`; false if not known. */
bool hd_value_text(struct hd_model *st, u32 event, u32 last, char *buf, size_t size);
/* Position of an event in the user's code: its site, or the call that led there.
 * `index` is its place in f->events, ~0u = it is not there (yet to be done). */
void hd_model_place(const struct hd_model *st, const struct hd_event *e, u32 index,
                    struct hd_srcloc *out);
/* Where the user's function that holds that position was called; false if not known. */
bool hd_model_caller(const struct hd_model *st, const struct hd_event *e, u32 index,
                     struct hd_srcloc *out);

/* ---- sentence.c ----------------------------------------------------------------- */

void hd_sentence(struct hd_model *st, FILE *to);
/* Another one: which of several processes of a command it is about, if there were several. */
void hd_sentence_process(const struct hd_finding *f, FILE *to);
/* "T2 changed `x` at a.c:3 between ...", nothing if there is no suspect. */
bool hd_sentence_suspect(struct hd_model *st, FILE *to);

/* Two sentences about f->decided, nothing if no order was verified. */
bool hd_sentence_decided(struct hd_model *st, FILE *to);
/* How slow some thread must be for it; false if the run needs no delay. */
bool hd_sentence_delay(struct hd_model *st, FILE *to);
/* Index of one of its events in f->events, ~0u if it is not there. */
u32 hd_decided_find(const struct hd_finding *f, enum hd_decided_event which);

/* Events the sentence speaks of, in order; returns how many. */
u32 hd_model_keys(const struct hd_model *st, u32 *out, u32 max);

/* ---- steps.c ---------------------------------------------------------------------- */

enum hd_row_kind {
    HD_ROW_STEP,   /* an event */
    HD_ROW_SWITCH, /* why the thread stopped */
    HD_ROW_GAP,    /* `count` steps left out */
    HD_ROW_REPEAT, /* the `span` rows before happened `count` times */
    HD_ROW_END,    /* what a thread was doing when the run ended */
};
struct hd_row {
    u8 kind;
    u16 tid;
    bool is_key;   /* one of the events the sentence speaks of */
    u32 event;     /* STEP: the first of `count` */
    u32 last;      /* STEP, REPEAT: the last event it stands for */
    u32 count;     /* STEP: times in a row; GAP, REPEAT */
    u32 span;
    char text[160]; /* SWITCH, END: words */
    u64 site;       /* END: where, 0 if not known */
};
struct hd_rows {
    HD_VEC(struct hd_row) v;
    u32 n_steps;   /* steps the rows stand for */
};
/* The last `last` rows of the trace, and the key events wherever they are. */
void hd_rows_make(struct hd_rows *r, struct hd_model *st, u32 last);
void hd_rows_release(struct hd_rows *r);

/* ---- arrows.c ----------------------------------------------------------------------- */

/* Event `to` of one thread depends on event `from` of another. */
struct hd_arrow {
    u32 from, to;     /* indices of f->events */
    const char *name; /* "unlock -> lock", static */
};
struct hd_arrows {
    HD_VEC(struct hd_arrow) v; /* by `to` */
};
void hd_arrows_make(struct hd_arrows *a, const struct hd_finding *f);
void hd_arrows_release(struct hd_arrows *a);

/* ---- columns.c ---------------------------------------------------------------------- */

struct hd_paint { bool color; int width; };
void hd_columns_print(FILE *to, struct hd_model *st, const struct hd_rows *r,
                      const struct hd_paint *p);

/* Does thread i of the circle wait for a rwlock only because the next one, a writer that
 * waits for it as well, goes first? */
bool hd_cycle_is_behind(const struct hd_model *st, u32 i);

/* ---- stacks.c, text.c --------------------------------------------------------------- */

/* Every thread's stack, grouped. */
void hd_stacks_print(FILE *to, struct hd_model *st, const struct hd_paint *p);
/* The frames of one stack. */
void hd_stacks_frames(FILE *to, struct hd_model *st, const struct hd_finding_thread *t,
                      const struct hd_paint *p);
/* "heddle replay PATH", quoted for a shell. Pre: f->dir is set. */
void hd_report_command(FILE *to, const struct hd_finding *f);

/* ---- paint.c ------------------------------------------------------------------------ */

enum hd_style { HD_PLAIN, HD_BOLD, HD_RED, HD_DIM };
void hd_paint_on(FILE *to, const struct hd_paint *p, enum hd_style s);
void hd_paint_off(FILE *to, const struct hd_paint *p);
/* Words of `text` in lines of p->width, `first` blanks before the first line,
 * `rest` before the others. Ends with a newline. */
void hd_paint_wrap(FILE *to, const struct hd_paint *p, const char *text, int first, int rest);
/* A line of a section: two blanks before it, four before its continuations. */
HD_PRINTF(3, 4) void hd_paint_line(FILE *to, const struct hd_paint *p, const char *format, ...);
/* At most `max` characters of `text`, ".." at the end if cut; control characters
 * become '?', so that a program's texts cannot drive the terminal. */
void hd_paint_cut(char *buf, size_t size, const char *text, size_t max);
/* Bytes of the UTF-8 character at p (NUL-terminated text), 0 if it is none. */
int hd_utf8_length(const u8 *p);

#endif
