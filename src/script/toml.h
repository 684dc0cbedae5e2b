/* toml.h: a TOML text as a plain tree, for C. toml.cc is the only
 * file that knows the library. */
#ifndef HD_SCRIPT_TOML_H
#define HD_SCRIPT_TOML_H

#include "error/error.h"
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hd_toml_kind {
    HD_TOML_STRING, HD_TOML_INTEGER, HD_TOML_FLOAT, HD_TOML_BOOL, HD_TOML_ARRAY, HD_TOML_TABLE,
    HD_TOML_DATE
};

struct hd_toml {
    enum hd_toml_kind kind;
    char *key;             /* NULL in arrays and at the top */
    char *text;            /* STRING */
    long long integer;     /* INTEGER, BOOL */
    double number;         /* FLOAT, INTEGER */
    unsigned line;
    struct hd_toml *child; /* ARRAY, TABLE; in the order of lines */
    unsigned n;
};

/* NULL with "path:line: what is wrong" in err if the text is no TOML. */
struct hd_toml *hd_toml_parse(const char *text, size_t n, const char *path, struct hd_error *err);
void hd_toml_free(struct hd_toml *t);

#ifdef __cplusplus
}
#endif
#endif
