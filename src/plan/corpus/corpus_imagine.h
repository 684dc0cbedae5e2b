/* corpus_imagine.h: a run that does not happen: threads with the habits that were
 * learned (corpus_habit.h), memory, locks and waiting as usual. See docs/design/corpus.md.
 *
 *   begin -> follow(script) -> wander     events go to `sink` as those of a real run would
 */
#ifndef HD_CORPUS_IMAGINE_H
#define HD_CORPUS_IMAGINE_H

#include "base/rng.h"
#include "event/record.h"
#include "plan/corpus/corpus_habit.h"

enum hd_imagined_state { HD_IMAGINED_NONE, HD_IMAGINED_THERE, HD_IMAGINED_OVER };

struct hd_imagine_thread {
    struct hd_habit_thread is;
    u32 next;       /* action, 0 = not known: it stays where it is */
    u8 state;       /* enum hd_imagined_state */
    bool is_woken;  /* from a condition */
    u32 round;      /* of a barrier that it waits at */
};

struct hd_imagine_lock {
    u16 owner;      /* thread + 1 */
    u16 depth, readers;
};

struct hd_imagine {
    struct hd_habit *habit;
    void (*sink)(void *self, const struct hd_event *ev, u32 value, u32 left);
    void *self;
    struct hd_imagine_thread thread[HD_HABIT_THREADS];
    u32 n_threads;
    struct hd_map word, by_lock, count; /* of semaphores, and of threads at barriers */
    HD_VEC(struct hd_imagine_lock) lock;
    HD_VEC(struct hd_choice) choice;    /* made */
    u32 step, left, current;
    u32 priority[HD_HABIT_THREADS];
};

void hd_imagine_init(struct hd_imagine *g, struct hd_habit *m);
void hd_imagine_release(struct hd_imagine *g);
void hd_imagine_begin(struct hd_imagine *g);
/* As a loose replay: an entry whose thread cannot go on is left out. */
void hd_imagine_follow(struct hd_imagine *g, const struct hd_choice *choice, u32 n);
/* By chance, to the end or to step `most`. */
void hd_imagine_wander(struct hd_imagine *g, u32 most, struct hd_rng *rng);

#endif
