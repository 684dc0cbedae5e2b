/* plain.c: one strategy, the one that was asked for, in all runs. The target does the
 * rest; there is nothing to prepare and nothing to learn. */
#include "plan/director.h"

static void close_plain(struct hd_director *d) { (void)d; }

bool hd_plain_is_wanted(const struct hd_director_opts *o)
{
    (void)o;
    return true;
}

int hd_plain_direct(struct hd_director **out, const struct hd_director_opts *o,
                    struct hd_error *err)
{
    static struct hd_director plain = {.name = "plain", .close = close_plain};
    (void)o, (void)err;
    *out = &plain;
    return 0;
}
