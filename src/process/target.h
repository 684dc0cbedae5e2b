/* target.h: is this a program Heddle can take over? See target.c. */
#ifndef HD_PROCESS_TARGET_H
#define HD_PROCESS_TARGET_H

#include "base/base.h"
#include "error/error.h"

enum hd_instrumentation {
    HD_INSTR_NONE,        /* plain program: synchronization only */
    HD_INSTR_GCC,         /* needs libtsan.so.2 (or .0) */
    HD_INSTR_CLANG_SHARED /* needs libclang_rt.tsan-x86_64.so */
};

struct hd_target {
    char path[512];       /* absolute, resolved through PATH */
    enum hd_instrumentation instr;
    char runtime[512];    /* library to preload */
    u8 build_id[32];
    u32 build_id_len;
};

/* 0, or negative errno with a sentence in err saying what is wrong and what to
 * do: missing, not executable, directory, script (names the interpreter line),
 * 32-bit, other machine, static, setuid, clang's static tsan runtime linked in. */
int hd_target_open(struct hd_target *t, const char *name, struct hd_error *err);

/* Is it a text that an interpreter runs (#!)? */
bool hd_target_is_script(const char *name);

/* Build-id of an ELF file; 0 if it has none or cannot be read. */
u32 hd_target_build_id(const char *path, u8 *id, u32 max);

/* Where Heddle's library of that name is: $HEDDLE_LIBDIR, else next to the
 * heddle binary (../lib/heddle), else the installed place. */
int hd_target_runtime(const char *lib, char *out, size_t size, struct hd_error *err);

#endif
