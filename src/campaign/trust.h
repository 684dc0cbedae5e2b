/* trust.h: was this replay file made on this machine, and is it as it was made?
 *
 * A replay file names a program, arguments and an environment, and files beside it hold
 * commands: replaying it runs all of them. So each file that heddle saves carries a seal:
 * a keyed hash (SipHash-2-4) of its text, which includes a hash of the files beside it.
 * The key comes from this machine's id, which nobody elsewhere knows. A file without a
 * valid seal, or that another user owns, is shown before it is run. docs/trust.md
 */
#ifndef HD_TRUST_H
#define HD_TRUST_H

#include "event/replay/replay.h"

/* From now on replay files that are saved are sealed, and seals are checked at loading. */
void hd_trust_init(void);

/* Hash of the files beside a replay file that hold commands; 0 = there are none. What
 * hd_replay_save is to be given in `beside`. */
u64 hd_trust_beside(const char *dir);

/* Made here, ours, and unchanged? Else `why` gets half a sentence. */
bool hd_trust_is_own(const struct hd_replay *r, const char *file, char *why, size_t size);

/* SipHash-2-4 of n bytes. */
u64 hd_trust_hash(const u64 key[2], const void *data, size_t n);

#endif
