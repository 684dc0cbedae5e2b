/* snapshot.h: a run that has ended, as the host sees it: a private copy.
 *
 * The program can write all that its runs share with the host, by mistake or on purpose, even
 * afterwards (a child that outlives its run). So the host reads that memory here alone, and
 * each part once: while it is copied, every number that is an index, a length or one of an
 * enumeration is made one. What comes out may still be wrong; it is the same whoever asks,
 * and leads nobody out of their memory.
 *
 * hd_snapshot_take copies what every caller wants when a batch is over; tables are copied
 * when somebody asks for them, and stay valid until the next batch is sent. Events are read
 * while runs go on (cover/cover.c) through hd_shm_event, which copies and checks each.
 */
#ifndef HD_SNAPSHOT_H
#define HD_SNAPSHOT_H

#include "event/long/tail.h"
#include "event/shm.h"

enum hd_snapshot_table {
    HD_TAKEN_THREADS, HD_TAKEN_FRAMES, HD_TAKEN_CHOICES, HD_TAKEN_CHOICE_SITES,
    HD_TAKEN_CHOICE_CHECKS, HD_TAKEN_EVENTS, HD_TAKEN_DETAILS, HD_TAKEN_OPTIONS,
    HD_TAKEN_PENDING, HD_TAKEN_IO_RESULTS, HD_TAKEN_SITES, HD_TAKEN_FINAL,
    HD_TAKEN_TABLES
};

/* Where a worker's shared memory is, in the host. */
struct hd_shm {
    struct hd_shm_host *host;
    const struct hd_shm_server *server;
    const struct hd_shm_run *run;
    int log_fd;     /* file that the run's log goes on in (record.h); 0 = none */
    int script_fd;  /* ... and the script that it follows, which the target cannot write */
};

struct hd_replay;
struct hd_snapshot {
    struct hd_shm shm;         /* what it is taken from */
    struct hd_config cfg;      /* of the run: as sent, with the strategy of its plan */
    u64 number;                /* of the run that ended last */
    s64 started_ns;            /* when it began (CLOCK_MONOTONIC) */
    struct hd_verdict verdict; /* the host's own from here on: it may change it */
    struct hd_stats stats;
    struct hd_final final;
    struct hd_totals totals;   /* over all runs of this server, as are: */
    struct hd_learned learned;
    struct hd_notes notes;
    u64 runs_done;
    u32 n_marks, n_sites;      /* see struct hd_shm_run */
    u32 n_options;             /* made; those past HD_SHM_OPTIONS are lost */
    u32 bad;                   /* values that were out of range, ever */
    u32 n_modules;
    struct hd_module *modules;
    const struct hd_replay *others; /* the next run's other processes are to follow these, */
    u32 n_others;              /* ... if it is a replay; they live until it has begun */
    struct {
        void *at;
        size_t n, room;        /* entries; bytes */
        bool is_taken;
    } table[HD_TAKEN_TABLES];
};

void hd_snapshot_init(struct hd_snapshot *s, const struct hd_shm *shm);
void hd_snapshot_release(struct hd_snapshot *s);
/* A batch is sent: nothing of the last run stays. */
void hd_snapshot_clear(struct hd_snapshot *s);
/* The batch is over. `sent`, `cmd`: what was sent; `runs_done`: since the server began. */
void hd_snapshot_take(struct hd_snapshot *s, const struct hd_config *sent,
                      const struct hd_command *cmd, u64 runs_done);

/* Loaded objects, those that were loaded since the last call included: also during a batch. */
const struct hd_module *hd_snapshot_modules(struct hd_snapshot *s, u32 *n);

const struct hd_shm_thread *hd_snapshot_threads(struct hd_snapshot *s, u32 *n);
/* Calls of a thread, outermost first; valid until it is called for another one. */
const struct hd_frame *hd_snapshot_frames(struct hd_snapshot *s, u32 tid, u32 *n);
/* The choices it made, up to one that was begun and not finished, HD_SHM_LOG at most. The caller
 * may change its copy. With the site and the hash of each (record.h). */
struct hd_choice *hd_snapshot_choices(struct hd_snapshot *s, u32 *n);
const u64 *hd_snapshot_choice_sites(struct hd_snapshot *s);
const u64 *hd_snapshot_choice_checks(struct hd_snapshot *s);
/* ... and those behind them, in a file of its own. 0 or negative errno. */
int hd_snapshot_tail(struct hd_snapshot *s, struct hd_tail *t);
/* The last events, in order: stats.events of them, or as many as the ring holds. One that
 * makes no sense is an HD_EV_NOTE. Details: the same index. */
const struct hd_event *hd_snapshot_events(struct hd_snapshot *s, u32 *n);
const struct hd_detail *hd_snapshot_details(struct hd_snapshot *s);
/* Of a run of a search; HD_SEARCH_THREADS pending ones. */
const struct hd_option *hd_snapshot_options(struct hd_snapshot *s, u32 *n);
const struct hd_pending *hd_snapshot_pending(struct hd_snapshot *s);
const struct hd_io_result *hd_snapshot_io_results(struct hd_snapshot *s, u32 *n);
/* What it left in memory: s->final.n words, if that was asked for. The caller may sort its copy. */
struct hd_final_word *hd_snapshot_final(struct hd_snapshot *s, u32 *n);
/* Slots in use. */
const struct hd_site *hd_snapshot_sites(struct hd_snapshot *s, u32 *n);

/* Why the target could not be taken over; empty = it did not say, or nothing that is text. */
void hd_shm_env_error(const struct hd_shm *m, char *out, size_t size);

/* ---- while a batch goes on ----------------------------------------------------------- */

/* The run that ended when `number` had ended before it. */
struct hd_run_end hd_shm_ran(const struct hd_shm *m, u64 number);
/* Choices of such a run that the server kept, in memory of the caller: `room` entries at
 * most. Returns how many. */
u32 hd_shm_saved_choices(const struct hd_shm *m, const struct hd_run_end *ran, struct hd_choice *to,
                        u32 room);
/* Does the thread's stack, as far as is known now, have the address? */
bool hd_shm_is_stack(const struct hd_shm *m, u16 tid, u64 addr);
/* Position in the ring behind the last event of the batch. */
HD_INLINE u64 hd_shm_written(const struct hd_shm *m)
{
    if (__atomic_load_n(&m->server->batch, __ATOMIC_ACQUIRE) != m->host->cmd.number)
        return 0; /* it has not begun */
    return __atomic_load_n(&m->run->ring_written, __ATOMIC_ACQUIRE);
}
/* The event at a position of the ring. */
HD_INLINE struct hd_event hd_shm_event(const struct hd_event *ring, u64 at)
{
    struct hd_event e = ring[at & (HD_SHM_RING - 1)];
    if (HD_UNLIKELY(e.kind >= HD_EV_COUNT || e.tid >= HD_MAX_THREADS))
        e = (struct hd_event){.step = e.step, .kind = HD_EV_NOTE}; /* overwritten by the program */
    if (hd_event_has_value(&e))
        e.arg &= (1u << HD_ARG_BITS) - 1;
    return e;
}

/* What it found in memory, as a hash; 0 = not told. */
HD_INLINE u32 hd_shm_value(const struct hd_event *ring, u64 at)
{
    const struct hd_event *e = &ring[at & (HD_SHM_RING - 1)];
    return hd_event_has_value(e) ? e->arg >> HD_ARG_BITS : 0;
}

#endif
