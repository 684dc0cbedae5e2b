/* replay.h: the replay file: one failing (or any) run as text that a person
 * can read and a later version can check. Host only; docs/replay-format.md.
 *
 *   a run         --from_run--> struct hd_replay --save--> file
 *   shared memory <--to_shm---  struct hd_replay <--load-- file
 */
#ifndef HD_REPLAY_H
#define HD_REPLAY_H

#include "error/error.h"
#include "event/inherited.h"
#include "event/snapshot.h"

#define HD_REPLAY_VERSION 5
#define HD_REPLAY_ENTRIES (1u << 16) /* that have a line of their own in the file, at most; of more, one in 16 */
#define HD_REPLAY_PACKED 3072       /* bytes of a line of packed ones, at most */
#define HD_REPLAY_TEXT 512          /* bytes of a function's name or source line, at most */
#define HD_REPLAY_NO_SITE (~(u64)0)
#define HD_REPLAY_NO_MODULE 0xffffu /* module of a packed site that lies in none */
#define HD_REPLAY_MODULE(packed) ((u32)((packed) >> 48))
#define HD_REPLAY_OFFSET(packed) ((packed) & (((u64)1 << 48) - 1))

/* Sites that were scheduling points when the run began, as module + offset:
 * the set decides where choices are made, so it belongs to the schedule. */
struct hd_replay_site {
    u16 module;  /* index in modules */
    u8 flags;    /* `known` of struct hd_site */
    u64 offset;
};

struct hd_replay_module {
    char path[256];
    u8 build_id[32];
    u32 build_id_len;
    u64 bias;    /* where it was; used if it is not loaded yet when the script is placed */
};

/* A site as a person would point to it, so that it can be found in another build. */
struct hd_replay_place {
    u64 site;      /* packed, as in struct hd_replay */
    u32 line;
    u32 ordinal;   /* which call on that line, from 1; 0 = not known */
    char *function;
    char *text;    /* the source line, "" = it could not be read */
};

struct hd_replay {
    u32 version;
    char program[512];      /* absolute path */
    char cwd[512];
    char **argv; u32 argc;  /* argv[0] as given; argv[argc] is NULL */
    char strategy[32];      /* name of cfg.strategy, which is an index; set by the caller */
    char input[64];         /* file beside the replay file that holds stdin, "" = none */
    struct hd_inherited inherited; /* what it had from its parent; set by the caller */
    struct hd_config cfg;   /* seed, strategy, limits, mode, epoch, ... of the run */
    u64 beside;             /* hash of the files beside it that hold commands; 0 = none */
    u64 seal;               /* keyed hash of the rest, as read (campaign/trust.h); 0 = none */
    bool is_sealed;         /* ... and it fits */
    u64 run;
    u32 is_random;          /* addresses were random: they are not part of `hash` */
    u32 verdict;            /* enum hd_verdict_kind it led to */
    u32 limit;              /* with HD_V_LIMIT: enum hd_run_limit */
    u64 steps, hash;        /* of the whole run */
    struct hd_replay_module *modules; u32 n_modules;
    struct hd_replay_site *sites; u32 n_sites;
    struct hd_replay_place *places; u32 n_places; /* may be none */
    u64 decides;            /* step that debuggers stop at: the first of the two events whose
                               order decides; 0 = not known */
    u64 race_third;         /* ... and of a third one, of the first thread; 0 = there is none */
    u64 race_fourth;        /* ... and of a fourth, of the second thread; likewise */
    u64 race, race_with;    /* steps of two accesses that race in the run; 0 = it is about a failure */
    u32 race_class;         /* enum hd_race_class */
    u32 n;                  /* entries */
    struct hd_choice *choice;
    u64 *site;              /* packed: module index << 48 | offset, ~0 = none; index
                               HD_REPLAY_NO_MODULE: offset is the address itself */
    u64 *check;             /* 0 = not known */
    struct hd_tail more;    /* entries behind these, which are HD_SHM_LOG - 1 then, or as many */
    struct hd_io_result *io_results;
    u32 n_io_results; /* of the world outside; by steps for each thread */
    u32 n_others;           /* processes of the same run that were controlled as well, */
    struct hd_replay *others; /* ... their records; NULL: not loaded (hd_replay_load_others) */
};
#define HD_REPLAY_OTHERS 32 /* at most */

void hd_replay_init(struct hd_replay *r);
void hd_replay_release(struct hd_replay *r);
/* A copy of its own of everything; *to is initialized. 0 or negative errno. */
int hd_replay_copy(struct hd_replay *to, const struct hd_replay *r);

/* Adds a place; the texts are copied. 0 or negative errno. */
int hd_replay_add_place(struct hd_replay *r, u64 site, u32 line, u32 ordinal, const char *function,
                        const char *text);

/* Takes log, sites and config of the run that just ended in `m`; of what it inherited,
 * the descriptors. */
int hd_replay_from_run(struct hd_replay *r, struct hd_snapshot *m, const char *program,
                       char *const *argv);
/* Puts the script, its sites and config into `m` for the next run. Addresses
 * are made from m's module table, so the target must have been started; what it
 * loads later (dlopen) is expected where it was. Clears m's site table. */
int hd_replay_to_shm(const struct hd_replay *r, struct hd_snapshot *run);
/* ... of the script alone: what follows behind the `n` entries that are in `m`'s arrays. */
int hd_replay_place_more(const struct hd_tail *more, u32 n, struct hd_snapshot *run);

/* 0 or negative errno. save writes to a temporary name and renames: a full disk
 * or a crash leaves no half file. load fills `err` with a sentence that says
 * what is wrong and, where known, the line. */
int hd_replay_save(const struct hd_replay *r, const char *path, struct hd_error *err);
int hd_replay_load(struct hd_replay *r, const char *path, struct hd_error *err);

/* A run of a command in which several processes were controlled has a record for each. That of
 * the one which the run is about names how many others there are: replay.heddle has replay.1.heddle, replay.2.heddle ... beside it.
 * Saving r saves them, too. load: those that are there; one that is missing is told in `err`
 * ("" = none is), one that is damaged is an error. */
int hd_replay_load_others(struct hd_replay *r, const char *path, struct hd_error *err);
/* "prog", "prog (forked), number 2 of them": which process of a command it is of. */
void hd_replay_process(const struct hd_replay *r, char *buf, size_t size);
/* Is it the name of such a file of `stem`.heddle? */
bool hd_replay_is_other(const char *name, const char *stem);

/* Gives the seal of a text; NULL = files are not sealed. */
extern u64 (*hd_replay_seal)(const char *text, size_t n);

/* Words of the file format, shared by save and load. NULL past the end. */
const char *hd_replay_verdict_word(u32 kind);
const char *hd_replay_choice_word(u32 kind);
const char *hd_replay_site_word(u8 flags); /* never NULL */
/* FNV-1a, 64 bit: what the `end` line carries. */
u64 hd_replay_sum(const char *text, size_t n);
/* TEXT of the file format. take: all of `quoted`, into a buffer of at least its size. */
void hd_replay_put_string(FILE *f, const char *s);
bool hd_replay_take_string(const char *quoted, char *buf);

#endif
