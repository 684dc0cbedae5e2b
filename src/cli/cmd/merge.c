/* merge.c: heddle merge: what other stores remember joins this one.
 * docs/cmd/merge.md */
#include <string.h>

#include "cli/cli.h"

#define WAIT_SECONDS 5.0

static int merge(const struct hd_options *o)
{
    struct hd_store *st;
    struct hd_error err = {""};
    if (hd_store_open(&st, o->dir, HD_STORE_WRITE, WAIT_SECONDS, &err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    int code = HD_EXIT_OK;
    for (int i = 0; i < o->n_rest && !code; i++) {
        if (hd_store_merge(st, o->rest[i]))
            code = hd_cli_fail(HD_EXIT_FAILED, "%s", hd_store_error(st));
        else if (!o->quiet)
            hd_cli_print("%s: added to %s", o->rest[i], o->dir);
    }
    if (hd_store_close(st, &err) && !code)
        code = hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    return code;
}

int hd_cmd_merge(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "merge", HD_FOR_merge, argv, &code))
        return code;
    code = merge(&o);
    hd_options_release(&o);
    return code;
}
