/* read.h: values and phases of a script's tree, read with complaints that
 * name the file and the line; for script.c. */
#ifndef HD_SCRIPT_READ_H
#define HD_SCRIPT_READ_H

#include "error/error.h"
#include "script/script.h"
#include "script/toml.h"

struct hd_reader {
    struct hd_script_file *s;
    const char *path;
    struct hd_error *err;
};

/* "path:line: ..." in err; line 0: no line. Returns -EINVAL. */
HD_PRINTF(3, 4) int hd_read_bad(struct hd_reader *r, u32 line, const char *format, ...);
/* The three in one, as long as the script lives. */
char *hd_read_join(struct hd_script_file *s, const char *a, const char *b, const char *c);
/* Absolute: relative ones are relative to the script's folder. */
char *hd_read_path(struct hd_script_file *s, const char *path);

const struct hd_toml *hd_read_get(const struct hd_toml *t, const char *key);
/* Complains about any key but these; NULL ends the list. */
int hd_read_only(struct hd_reader *r, const struct hd_toml *t, const char *where,
                 const char *const *keys);
/* Each leaves *out as it is if t is NULL, but for texts: NULL. */
int hd_read_text(struct hd_reader *r, const struct hd_toml *t, const char **out);
int hd_read_time(struct hd_reader *r, const struct hd_toml *t, u32 *ms);
int hd_read_statuses(struct hd_reader *r, const struct hd_toml *t, struct hd_script_phase *p);
/* Do the names in `text` mean something? */
int hd_read_vars(struct hd_reader *r, u32 line, const char *text, bool is_shell, bool has_run);
/* The section `name`, with these keys: a table, or just its command. */
int hd_read_phase(struct hd_reader *r, const struct hd_toml *top, const char *name,
                  struct hd_script_phase *p, const char *const *keys);

#endif
