/* ask.h: asks the host what this process is to be; see ask.c and event/ask.h. Also part of the
 * library that is loaded into every process (src/watch). */
#ifndef HD_RUNTIME_ASK_H
#define HD_RUNTIME_ASK_H

#include "event/ask.h"

/* Fills in what is known of this process; `library` "" = not instrumented. */
void hd_ask_init(struct hd_ask *a, enum hd_ask_kind kind, const char *library, int argc,
                 char *const *argv);
/* Asks at the socket `name`. With HD_REPLY_CONTROL the descriptors are where the runtime
 * expects them. Nobody there, or no room for them: HD_REPLY_FREE. */
void hd_ask(const char *name, const struct hd_ask *a, struct hd_reply *reply);

#endif
