/* inherited.h: what a process has from its parent and a run depends on: open
 * descriptors, resource limits, file mode mask, ignored signals, environment.
 *
 *   heddle's caller --process/inherit.c--> struct hd_inherited --> replay file
 *   replay file --> struct hd_inherited --process/inherit.c--> the replayed program
 *
 * Values of variables that look like secrets are not written to files, only a
 * hash of them; a replay takes them from its own caller. Host only.
 */
#ifndef HD_INHERITED_H
#define HD_INHERITED_H

#include <stdio.h>

#include "event/shm.h"

#define HD_LIMIT_NONE (~(u64)0) /* "unlimited" */
#define HD_LIMITS 15            /* rows of limit_name[] in replay_inherited.c */

struct hd_rlimit {
    u64 soft, hard;
};

struct hd_variable {
    char *text;   /* NAME=value; of a secret read from a file: NAME alone */
    u64 hash;     /* of the value */
    bool is_secret;
};

struct hd_inherited {
    u64 fds[HD_INHERIT_WORDS];  /* open descriptors above 2, below HD_SHM_FD */
    bool is_complete;           /* false in files of version 2 and older: the rest is not known */
    struct hd_rlimit limit[HD_LIMITS];
    u32 umask;
    u32 uid;                    /* effective user */
    u64 ignored;                /* bit n-1: signal n */
    u64 cpus[16];               /* processors it may use (cpu_set_t) */
    u32 online, configured;     /* processors of the machine */
    struct hd_variable *env;
    u32 n_env;
};

/* RLIMIT_* and the name of row i. */
int hd_rlimit_resource(u32 i);
const char *hd_rlimit_name(u32 i);

void hd_inherited_release(struct hd_inherited *h);
/* 0 or negative errno; *to is released first by the caller if need be. */
int hd_inherited_copy(struct hd_inherited *to, const struct hd_inherited *h);
/* Adds NAME=value. 0 or negative errno. */
int hd_inherited_add(struct hd_inherited *h, const char *text);
/* The variable of that name, or NULL. */
const struct hd_variable *hd_inherited_find(const struct hd_inherited *h, const char *name,
                                            size_t n);

/* Lines of the replay file (docs/replay-format.md). */
void hd_inherited_put(FILE *f, const struct hd_inherited *h);
/* 1 = `word` begins such a line and `rest` was read, 0 = it does not, negative = `rest` is bad. */
int hd_inherited_take(struct hd_inherited *h, const char *word, const char *rest);

#endif
