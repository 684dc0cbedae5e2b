/* columns.c: the order of steps as a table, one column per thread:
 *
 *    step  source       T0 (main)            T1
 *      41  bank.c:11                         read balance
 *                                            -- preempted --
 *  >   42  bank.c:12    write balance
 *
 * Only threads that appear get a column. Where they do not fit, the table
 * becomes a list with the thread's name in each line.
 */
#include "report/explain/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MIN_COLUMN 12
#define MAX_COLUMNS 8
#define STEP_WIDTH 10 /* "> 123456  " */

struct layout {
    u16 tid[MAX_COLUMNS];
    u32 n;           /* 0 = list */
    int place, cell; /* widths */
    char file[128];  /* the one file of all places, "" = several, or there is room */
};

static void row_place(const struct hd_model *st, const struct hd_row *row, char *buf, size_t size)
{
    buf[0] = 0;
    if (row->kind == HD_ROW_STEP && st->f->events[row->event].site) {
        const struct hd_event *e = &st->f->events[row->event];
        struct hd_srcloc l;
        if (e->kind != HD_EV_START || !hd_model_created(st, e->tid, &l))
            hd_model_place(st, e, row->event, &l);
        hd_name_place(st, &l, true, buf, size);
    } else if (row->kind == HD_ROW_END) {
        struct hd_srcloc l;
        if (hd_model_where(st, row->tid, &l))
            hd_name_place(st, &l, true, buf, size);
        else if (row->site)
            hd_name_site(st, row->site, true, buf, size);
    }
}

/* The place without the file that all have in common. */
static const char *short_place(const struct layout *y, const char *place)
{
    size_t n = strlen(y->file);
    return n && !strncmp(place, y->file, n) && place[n] == ':' ? place + n + 1 : place;
}

static void row_text(struct hd_model *st, const struct hd_row *row, char *buf, size_t size)
{
    if (row->kind == HD_ROW_STEP) {
        const struct hd_event *e = &st->f->events[row->event];
        hd_name_action(st, e, buf, size);
        size_t n = strlen(buf);
        char value[320];
        if (hd_value_text(st, row->event, row->last, value, sizeof value) && n + 2 < size)
            n += (size_t)snprintf(buf + n, size - n, " %s", value);
        if (row->count > 1 && n + 16 < size)
            snprintf(buf + n, size - n, " (%u times)", row->count);
    } else if (row->kind == HD_ROW_SWITCH) {
        snprintf(buf, size, "-- %s --", row->text);
    } else {
        snprintf(buf, size, "%s", row->text);
    }
}

static bool has_thread(const struct hd_row *row)
{
    return row->kind == HD_ROW_STEP || row->kind == HD_ROW_SWITCH || row->kind == HD_ROW_END;
}

static int by_tid(const void *a, const void *b)
{
    return *(const u16 *)a - *(const u16 *)b;
}

static void plan(struct layout *y, struct hd_model *st, const struct hd_rows *r, int width)
{
    char place[300], file[sizeof y->file] = "";
    *y = (struct layout){.place = 6};
    bool is_list = false, is_one = true;
    for (u32 i = 0; i < r->v.n; i++) {
        row_place(st, &r->v.at[i], place, sizeof place);
        y->place = HD_MAX(y->place, (int)strlen(place));
        char *colon = strrchr(place, ':');
        if (colon && colon < place + sizeof file && isdigit((unsigned char)colon[1])) {
            *colon = 0;
            is_one &= !file[0] || !strcmp(file, place);
            snprintf(file, sizeof file, "%.127s", place);
        }
        if (!has_thread(&r->v.at[i]))
            continue;
        u32 k = 0;
        while (k < y->n && y->tid[k] != r->v.at[i].tid)
            k++;
        if (k < y->n)
            continue;
        if (y->n == MAX_COLUMNS) {
            is_list = true;
            break;
        }
        y->tid[y->n++] = r->v.at[i].tid;
    }
    if (is_one && (y->n > 2 || is_list || y->place > HD_MAX(8, width / 4))) {
        snprintf(y->file, sizeof y->file, "%s", file);
        y->place = 6;
        for (u32 i = 0; i < r->v.n; i++) {
            row_place(st, &r->v.at[i], place, sizeof place);
            y->place = HD_MAX(y->place, (int)strlen(short_place(y, place)));
        }
    }
    y->place = HD_MIN(y->place, HD_MAX(8, width / 4));
    if (!is_list && y->n) {
        y->cell = (width - STEP_WIDTH - y->place - 2 * (int)y->n) / (int)y->n;
        y->cell = HD_MIN(y->cell, 34);
    }
    if (is_list || y->cell < MIN_COLUMN)
        y->n = 0;
    else
        qsort(y->tid, y->n, sizeof y->tid[0], by_tid);
}

static void print_note(FILE *to, const struct hd_row *row, const struct hd_paint *p)
{
    hd_paint_on(to, p, HD_DIM);
    if (row->kind == HD_ROW_GAP)
        fprintf(to, "%*s... %u steps left out ...", STEP_WIDTH, "", row->count);
    else
        fprintf(to, "%*s... the last %u lines happened %u times in a row ...", STEP_WIDTH, "",
                row->span, row->count);
    hd_paint_off(to, p);
    fputc('\n', to);
}

/* Allocations are none; a free is the step that told the others of it. */
static bool is_step(const struct hd_finding *f, u32 event)
{
    u8 kind = f->events[event].kind;
    return kind == HD_EV_FREE ? event && hd_model_is_free(f, event - 1) : kind != HD_EV_ALLOC;
}

static void print_lead(FILE *to, struct hd_model *st, const struct hd_row *row,
                       const struct layout *y, int place_width)
{
    char whole[300], cut[300];
    row_place(st, row, whole, sizeof whole);
    const char *place = short_place(y, whole);
    size_t len = strlen(place);
    /* The end of a long name is what tells files apart. */
    const char *from = len > (size_t)place_width ? place + (len - (size_t)place_width) : place;
    hd_paint_cut(cut, sizeof cut, from, (size_t)place_width);
    if (from > place && strlen(cut) > 2)
        memcpy(cut, "..", 2);
    char number[16] = "";
    const struct hd_event *e = &st->f->events[row->event];
    if (row->kind == HD_ROW_END)
        snprintf(number, sizeof number, "end");
    else if (row->kind == HD_ROW_STEP && is_step(st->f, row->event))
        snprintf(number, sizeof number, "%u", e->step);
    fprintf(to, "%c%7s  %-*s", row->is_key ? '>' : ' ', number, place_width, cut);
}

/* What can be left out of a text that is too long, before its end is. */
static const char *squeeze(char *text, int room)
{
    char *arrow = strstr(text, " -> ");
    if ((int)strlen(text) > room && !strncmp(text, "atomic ", 7))
        return squeeze(text + 7, room);
    if ((int)strlen(text) > room && arrow) {
        memcpy(arrow, "->", 2);
        memmove(arrow + 2, arrow + 4, strlen(arrow + 4) + 1);
    }
    return text;
}

static void print_row(FILE *to, struct hd_model *st, const struct hd_row *row,
                      const struct layout *y, const struct hd_paint *p)
{
    char text[400], cell[400], who[48];
    row_text(st, row, text, sizeof text);
    hd_paint_on(to, p, row->is_key ? HD_RED : row->kind == HD_ROW_SWITCH ? HD_DIM : HD_PLAIN);
    if (y->n == 0) {
        int place = HD_MIN(y->place, 14);
        int room = HD_MAX(p->width - STEP_WIDTH - place - 8, 4);
        hd_name_thread(st, row->tid, who, sizeof who);
        who[strcspn(who, " ")] = 0;
        print_lead(to, st, row, y, place);
        hd_paint_cut(cell, sizeof cell, text, (size_t)room);
        fprintf(to, "  %-5s %s", who, cell);
    } else {
        u32 k = 0;
        while (k + 1 < y->n && y->tid[k] != row->tid)
            k++;
        print_lead(to, st, row, y, y->place);
        /* Cells to the right stay empty: a long text may use their room. */
        int room = p->width - STEP_WIDTH - y->place - 2 - (int)k * (y->cell + 2);
        hd_paint_cut(cell, sizeof cell, squeeze(text, room), (size_t)room);
        fprintf(to, "  %*s%s", (int)k * (y->cell + 2), "", cell);
    }
    hd_paint_off(to, p);
    fputc('\n', to);
}

void hd_columns_print(FILE *to, struct hd_model *st, const struct hd_rows *r,
                      const struct hd_paint *p)
{
    struct layout y;
    plan(&y, st, r, p->width);
    hd_paint_on(to, p, HD_BOLD);
    if (y.n == 0) {
        fprintf(to, "    step  %-*s  thread", HD_MIN(y.place, 14), y.file[0] ? "line" : "source");
    } else {
        fprintf(to, "    step  %-*s", y.place, y.file[0] ? "line" : "source");
        for (u32 k = 0; k < y.n; k++) {
            char who[48], cut[48];
            hd_name_thread(st, y.tid[k], who, sizeof who);
            hd_paint_cut(cut, sizeof cut, who, (size_t)y.cell);
            fprintf(to, "  %-*s", k + 1 < y.n ? y.cell : 0, cut);
        }
    }
    hd_paint_off(to, p);
    fputc('\n', to);
    for (u32 i = 0; i < r->v.n; i++)
        if (has_thread(&r->v.at[i]))
            print_row(to, st, &r->v.at[i], &y, p);
        else
            print_note(to, &r->v.at[i], p);
}
