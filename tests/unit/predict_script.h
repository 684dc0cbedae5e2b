/* predict_script.h: scripted profile runs for the tests of predict/. Threads,
 * variables and locks as in observe_script.h; S is a semaphore, B a barrier. */
#ifndef HD_PREDICT_SCRIPT_H
#define HD_PREDICT_SCRIPT_H

#include "unit/observe_script.h"

#include "predict/predict.h"
#include "unit/predicted.h"

enum { S = 0x7000, B = 0x8000 };

#define CREATE(t, child, s) EV(t, CREATE, child, s)
#define JOIN(t, child, s) EV(t, JOIN, child, s)
#define EXIT(t) EV(t, EXIT, 0, 99)

static inline void profile(struct hd_predict *p, const struct hd_event *ev, size_t n)
{
    hd_predict_begin_run(p, p->count.runs + 1);
    for (size_t i = 0; i < n; i++)
        hd_predict_event(p, &ev[i]);
    hd_predict_end_run(p);
}

static inline bool predicts(struct hd_predict *p, const char *text)
{
    struct hd_element e;
    if (!element_parse(&e, text))
        fail_msg("no element: %s", text);
    return predicted_has(p, &e);
}

/* Exactly these, "" = none; separated by blanks. */
static inline void expect_predicted(struct hd_predict *p, const char *all)
{
    char list[2048], text[HD_ELEMENT_TEXT], *save = NULL;
    u32 n = 0;
    snprintf(list, sizeof list, "%s", all);
    for (char *t = strtok_r(list, " ", &save); t; t = strtok_r(NULL, " ", &save), n++)
        if (!predicts(p, t))
            fail_msg("not predicted: %s", t);
    if (n == predicted_size(p))
        return;
    for (u32 i = 0; i < predicted_size(p); i++) {
        struct hd_element e;
        predicted_at(p, i, &e);
        hd_element_text(&e, text, sizeof text);
        print_message("predicted: %s\n", text);
    }
    fail_msg("expected %u, got %u", n, predicted_size(p));
}

/* A fresh predictor of these idioms (bits), one run, exactly these. */
static inline void foretell(u32 idioms, const struct hd_event *ev, size_t n, const char *all)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = idioms});
    profile(&p, ev, n);
    expect_predicted(&p, all);
    hd_predict_release(&p);
}

enum { ONE = 1 << 1, TWO = 1 << 2, THREE = 1 << 3, FOUR = 1 << 4, FIVE = 1 << 5, SIX = 1 << 6 };

#endif
