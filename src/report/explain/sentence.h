/* sentence.h: the parts of the sentence about a finding, shared by its files:
 *
 *   sentence.c          which kind; assertions, signals, exits, checks; suspects
 *   sentence_blocked.c  deadlock, lost wake-up, livelock, hang
 *   sentence_heap.c     wrong uses of heap memory
 *   sentence_misuse.c   wrong uses of locks
 *
 * Each writes a sentence without its full stop.
 */
#ifndef HD_SENTENCE_H
#define HD_SENTENCE_H

#include "report/explain/model.h"

#define HD_SENTENCE_NAME 320 /* bytes of a name or place */

/* "T1 at bank.c:12"; only the thread if the place is not known. */
void hd_sentence_where(struct hd_model *st, FILE *to, u16 tid);
/* Thread, place and (unless NULL) object of event i, as words: who[48], the others
 * HD_SENTENCE_NAME bytes. */
void hd_sentence_event(struct hd_model *st, u32 i, char *who, char *place, char *var);

void hd_sentence_deadlock(struct hd_model *st, FILE *to);
void hd_sentence_hang(struct hd_model *st, FILE *to);
void hd_sentence_heap(struct hd_model *st, FILE *to);
void hd_sentence_misuse(struct hd_model *st, FILE *to);
const char *hd_misuse_word(u8 kind); /* for programs: "unlock-free" */

#endif
