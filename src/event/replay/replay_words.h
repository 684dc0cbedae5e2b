/* replay_words.h: a replay file while it is read; between replay_load.c and replay_words.c. */
#ifndef HD_REPLAY_WORDS_H
#define HD_REPLAY_WORDS_H

#include "error/error.h"
#include "event/replay/replay.h"
#include "text/words.h"

struct hd_replay_parser {
    struct hd_replay *r;
    const char *path;
    struct hd_error *err;
    struct hd_words w;     /* the text, in the line that is read */
    u32 fields;            /* bit i: row i of replay.def was read */
    bool has_program, has_cwd, has_strategy, has_input, has_verdict;
    u32 cap_args, cap_modules, cap_sites, cap_entries, cap_io_results;
    struct hd_tail_writer *more; /* entries past HD_SHM_LOG; NULL = none so far */
};

/* Each takes what comes next in the line; false: something else is there. */
bool hd_parse_string(struct hd_replay_parser *p, char *buf, size_t size);
/* "module+offset", as an address of this file's modules. */
bool hd_parse_site(struct hd_replay_parser *p, u64 *out);
/* Value of a hexadecimal digit, or -1. */
int hd_parse_digit(char c);
/* Makes room for one more element. */
bool hd_parse_grow(void *array, u32 n, u32 *cap, size_t element);
/* Makes room for one more entry of the schedule. */
bool hd_parse_room(struct hd_replay_parser *p);
/* Packed entries, how many and their bytes. */
bool hd_parse_packed(struct hd_replay_parser *p);
/* The file was read: those that did not fit go to p->r->more. False: they could not be kept. */
bool hd_parse_more(struct hd_replay_parser *p);

/* The file of another process of the run that `path` is of, from 1. 0 or negative errno. */
int hd_replay_other_name(char *to, size_t size, const char *path, u32 number);

#endif
