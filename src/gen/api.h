/* api.h: what `heddle gen` knows of a library: its object types and the functions over them.
 *
 *   clang.c   reads a header (libclang)          spec.c   reads and writes it as TOML
 *   guess.c   what each declaration is for        show.c   says what was understood
 *
 * A function that is not understood stays in the list with the reason (`why`) and is
 * never called.
 */
#ifndef HD_GEN_API_H
#define HD_GEN_API_H

#include "base/base.h"
#include "base/vec.h"
#include "error/error.h"

#define HD_GEN_PARAMS 8
#define HD_GEN_TYPES 24
#define HD_GEN_OPS 250 /* a function's number is a byte of a test */

/* What a parameter or a result is. */
enum hd_gen_kind {
    HD_GEN_NONE, /* void */
    HD_GEN_INT,  /* integers, enums, characters, bool */
    HD_GEN_FLOAT,
    HD_GEN_STRING,      /* characters up to a zero */
    HD_GEN_TEXT,        /* a result: characters that are the caller's from now on */
    HD_GEN_POINTER,     /* void *: compared, never followed */
    HD_GEN_OBJECT,      /* T * or T & of a known type */
    HD_GEN_OBJECT_OUT,  /* T **: filled by the call */
    HD_GEN_OUT,         /* int *: filled by the call */
    HD_GEN_OUT_POINTER, /* void ** */
    HD_GEN_BUFFER,      /* memory that the call fills; its size is another parameter */
    HD_GEN_DATA,        /* memory that the call reads, likewise */
    HD_GEN_SIZE,        /* the size of such memory */
    HD_GEN_CALLBACK,
    HD_GEN_CONTEXT, /* void * for the callback */
    HD_GEN_FILE,    /* FILE * */
    HD_GEN_RECORD,  /* a result: a structure, compared by its fields */
    HD_GEN_OTHER,   /* a result that cannot be compared */
};

struct hd_gen_param {
    enum hd_gen_kind kind;
    char *name; /* "" = none */
    char *type; /* as the language spells it, without reference */
    u32 object; /* OBJECT, OBJECT_OUT, RECORD: index of its type */
    bool is_const, is_ref;
    HD_VEC(char *) value;        /* expressions to choose from */
    char *cb_result, *cb_params; /* CALLBACK: "int", "void *, int" */
};

enum hd_gen_role {
    HD_GEN_LEFT_OUT,
    HD_GEN_MAKES, /* constructor */
    HD_GEN_DESTROYS,
    HD_GEN_OBSERVES, /* changes nothing: asked at the end of a test, too */
    HD_GEN_OPERATION,
};

/* How a constructor gives the object. */
enum hd_gen_makes { HD_GEN_BY_RESULT, HD_GEN_BY_OUT, HD_GEN_IN_PLACE };

struct hd_gen_func {
    char *name; /* as it is called */
    enum hd_gen_role role;
    enum hd_gen_makes makes;
    u32 object; /* type it makes, destroys or (C++) is a method of */
    bool is_method, is_static, is_const;
    struct hd_gen_param result;
    struct hd_gen_param param[HD_GEN_PARAMS];
    u32 n;
    char *why; /* LEFT_OUT: the reason */
    bool is_class;   /* LEFT_OUT: not a function, but a class that has no objects; */
    bool is_surplus; /* ... there are too many */
    u32 line;
    bool no_result;   /* its results are not compared */
    bool is_exclusive; /* never beside another call */
    s32 after;        /* each call follows one of this function in its thread; -1 = any */
    s32 lock, unlock; /* the caller holds what these take and give back; -1 = nothing */
    const char *note; /* what was learned by running it; static text, NULL = nothing */
    bool is_blocking; /* ... it may wait for another call */
    bool is_dropped;  /* ... it is not to be called any more */
};

/* A field of a structure that can be compared. */
struct hd_gen_field {
    char *name;
    enum hd_gen_kind kind; /* INT, FLOAT */
};

struct hd_gen_type {
    char *name;       /* "struct queue", "queue_t", "Queue<int>" */
    char *bare;       /* without "struct" */
    bool is_complete; /* its size is known */
    bool is_class;
    bool is_plain;     /* data that nothing makes: each thread has one of its own, zeros at first */
    s32 make, destroy; /* index of the function, -1 = none */
    HD_VEC(struct hd_gen_field) field;
};

enum hd_gen_contract {
    HD_GEN_UNDECLARED,
    HD_GEN_THREAD_SAFE,
    HD_GEN_LOCKED,   /* every call under one lock of the caller's */
    HD_GEN_SEPARATE, /* one object per thread */
};

struct hd_api {
    char *header; /* path */
    char *prefix; /* of names, "" = all of the header */
    bool is_cxx;
    enum hd_gen_contract contract;
    HD_VEC(struct hd_gen_type) type;
    HD_VEC(struct hd_gen_func) func;
};

void hd_api_init(struct hd_api *a);
void hd_api_release(struct hd_api *a);
void hd_gen_func_release(struct hd_gen_func *f);
/* Index of the type of this name, with or without "struct"; -1 = none. */
s32 hd_api_type(const struct hd_api *a, const char *name);
/* strdup and asprintf that do not fail. */
char *hd_gen_copy(const char *text);
HD_PRINTF(1, 2) char *hd_gen_text(const char *format, ...);

/* ---- clang.c ----------------------------------------------------------------------- */

struct hd_gen_read {
    const char *header, *prefix; /* prefix NULL = all */
    const char *only_class;      /* C++: this class or alias, NULL = all */
    char *const *flags;          /* what the user gives the compiler; NULL-terminated */
    bool is_cxx;
};
/* Declarations of the header. 0 or negative errno with a message in err: the compiler's
 * own if the header does not compile. */
int hd_gen_read(struct hd_api *a, const struct hd_gen_read *how, struct hd_error *err);

/* ---- guess.c ----------------------------------------------------------------------- */

/* Roles, values, sizes of buffers: from names and types. */
void hd_gen_guess(struct hd_api *a);
/* Whether there is anything to call: 0, or -ENOENT with a sentence. */
int hd_gen_check(struct hd_api *a, struct hd_error *err);

/* ---- spec.c ------------------------------------------------------------------------ */

/* Over what is there: the file names only what differs, or all of it. */
int hd_gen_spec_read(struct hd_api *a, const char *path, struct hd_error *err);
int hd_gen_spec_write(const struct hd_api *a, const char *path, struct hd_error *err);

/* ---- show.c ------------------------------------------------------------------------ */

/* "queue_push(queue, int)", for people. */
void hd_gen_signature(const struct hd_api *a, const struct hd_gen_func *f, char *buf, size_t size);
/* What was understood and what was left out, line by line. */
void hd_gen_show(const struct hd_api *a, void (*line)(const char *text));

#endif
