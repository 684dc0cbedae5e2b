/* clang.h: state of reading one header (clang.c) and what its types mean (clang_type.c). */
#ifndef HD_GEN_CLANG_H
#define HD_GEN_CLANG_H

#include "gen/api.h"
#include "gen/clang/clang_abi.h"

#define HD_CLANG_ARGS 8
#define HD_CLANG_SURVEY (~(u32)0)

struct hd_reading {
    struct hd_clang c;
    struct hd_api *api;
    const struct hd_gen_read *how;
    bool is_types;                  /* first pass: object types, then functions */
    HD_VEC(char *) used;            /* templates that have an instance in the header */
    /* the class being read */
    u32 object;                     /* its type; HD_CLANG_SURVEY: only looking at it */
    bool is_class, has_ctor, is_abstract;
    CXType instance;                /* with template arguments */
    char *arg_name[HD_CLANG_ARGS];  /* "T" */
    u32 n_args;
};

char *hd_clang_text(const struct hd_clang *c, CXString s);
/* The function cannot be called; the first reason stays. */
HD_PRINTF(2, 3) void hd_clang_left_out(struct hd_gen_func *f, const char *format, ...);
/* Fills kind and type of a parameter or result; leaves f out if it is not understood. */
void hd_clang_param(struct hd_reading *r, CXType t, struct hd_gen_func *f, struct hd_gen_param *p);
void hd_clang_result(struct hd_reading *r, CXType t, struct hd_gen_func *f);

#endif
