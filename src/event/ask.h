/* ask.h: how a process that a command under test started asks the host what it is to be
 * (docs/design/children.md). One message each way over a SOCK_SEQPACKET socket whose name, in
 * the abstract namespace, is the value of HD_ASK_ENV. Plain data; the host checks what it reads:
 * any process can write it. */
#ifndef HD_ASK_H
#define HD_ASK_H

#include "base/base.h"

#define HD_ASK_ENV "HEDDLE_ASK"
#define HD_ASK_ALL '!'             /* first byte of the value: who is not instrumented tells, too */
#define HD_ASK_NAME 64             /* bytes of a value, at most */
#define HD_WATCH_LIBRARY "watch.so"
#define HD_ASK_MAGIC 0x4b534148u

enum hd_ask_kind {
    HD_ASK_START,   /* a program begins; it may be made to begin again */
    HD_ASK_THREADS, /* a process is about to make its first thread */
};

struct hd_ask {
    u32 magic;
    u32 kind;           /* enum hd_ask_kind */
    u32 is_forked;      /* it began as a copy of another process */
    u32 n_args;         /* bytes of args in use */
    u64 forks;          /* which fork of which fork it is, as a hash; 0 = it was not forked */
    char library[64];   /* ThreadSanitizer's, by which it was built; "" = not instrumented */
    char exe[512];      /* its file, "" = not known */
    char args[1024];    /* each with its end; the last one may be cut off */
};

enum hd_reply_kind {
    HD_REPLY_FREE,    /* go on as you are */
    HD_REPLY_PASSIVE, /* begin again with Heddle's library, which stays out of the way */
    HD_REPLY_CONTROL, /* ... which controls you; descriptors HD_ASK_FDS come with it */
    HD_REPLY_STAND_IN, /* another process is the program (under a debugger); you are what others
                           know of it: say so with a byte, wait for its status, and end with that */
};

/* In this order: shared memory, commands, replies, the host's part, the common clock, the files
 * of log and script. */
#define HD_ASK_FDS 7

struct hd_reply {
    u32 magic;
    u32 kind;           /* enum hd_reply_kind */
    char runtime[512];  /* library to begin again with */
};

#endif
