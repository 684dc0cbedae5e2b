/* emit.h: calls of an API as text, for the driver (driver.c) and for the program of a finding
 * (standalone.c). */
#ifndef HD_GEN_EMIT_H
#define HD_GEN_EMIT_H

#include <stdio.h>

#include "gen/api.h"
#include "gen/test.h"

/* How the places of a call are spelled. */
struct hd_gen_spell {
    const char *indent;
    /* Expression for parameter i of f, the k-th of its kind; buffer of the caller. */
    void (*object)(const void *self, const struct hd_api *a, const struct hd_gen_func *f, u32 k,
                   u32 type, char *buf, size_t size);
    void (*value)(const void *self, const struct hd_api *a, const struct hd_gen_func *f, u32 i,
                  u32 k, char *buf, size_t size);
    const void *self;
    const char *slot; /* where results go: "r", "&call[2]" */
    const char *skip; /* statement if an object is missing, NULL = it is never */
    const char *made; /* lvalue that takes an object that the call makes; NULL = dropped */
    u32 func;         /* number of f, for the names of callbacks */
    bool is_locked;   /* under the lock `api_lock` */
    bool is_timed;    /* begin and end are noted */
    bool is_plain;    /* results are not kept */
};

/* Statements of one call. */
void hd_gen_emit_call(FILE *to, const struct hd_api *a, const struct hd_gen_func *f,
                      const struct hd_gen_spell *s);
/* Functions for callback parameters of function i: cb_<i>_<parameter>. */
void hd_gen_emit_callbacks(FILE *to, const struct hd_api *a, u32 i);
/* Number of parameters that a value is chosen for; each takes one byte of a test. */
u32 hd_gen_values(const struct hd_gen_func *f);
/* #include of the API, system headers, helpers put_int ... begin, end. */
void hd_gen_emit_head(FILE *to, const struct hd_api *a);
/* `char item[]`, the lock, memory of a thread's own: what calls refer to. */
void hd_gen_emit_items(FILE *to, const struct hd_api *a);

/* Declares what the runtime says about memory: for put_shown in text/put.inc. */
void hd_gen_emit_readable(FILE *to, const struct hd_api *a);

/* Lvalue that takes the object which a call of f makes: `object`, or an element of the array
 * `got`; in `buf`. NULL: it makes none. */
const char *hd_gen_made(const struct hd_gen_func *f, const char *object, const char *got, char *buf,
                        size_t size);

/* `text` with each `from` as `as`. */
void hd_gen_emit_as(FILE *to, const char *text, const char *from, const char *as);

/* ---- text/: code that generated programs have in common. Results go to `struct value`. ---- */

extern const char hd_gen_code_put[];     /* put_int ... */
extern const char hd_gen_code_put_cxx[]; /* put(struct value *, const T &), by types */
extern const char hd_gen_code_driver_notes[], hd_gen_code_driver_main[];
extern const char hd_gen_code_check_notes[], hd_gen_code_check[];

#endif
