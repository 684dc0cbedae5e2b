/* search_random.h: random small programs for test_search_*.c. Two threads of about
 * four steps or three of two to three; locks are given back, waits may wait for
 * ever. */
#ifndef SEARCH_RANDOM_H
#define SEARCH_RANDOM_H

#include "search_rig.h"

#include "base/rng.h"

struct gen {
    struct hd_rng rng;
    struct ins *code;
    u32 n, room;
    bool is_timed, is_plain; /* with timeouts; memory and mutexes only */
};

static inline u32 below(struct gen *g, u32 n) { return (u32)hd_rng_below(&g->rng, n); }

static inline void put(struct gen *g, u8 op, u32 x, u32 y, int v)
{
    if (g->n < MAX_CODE - 1)
        g->code[g->n++] = (struct ins){op, (u8)x, (u8)y, (signed char)v};
}

static inline void put_simple(struct gen *g)
{
    static const u8 op[] = {R, W, WR, ADD, CAS, POST, SIG, CAST, SGET, STRY};
    u8 o = op[below(g, g->is_plain ? 5 : 10)];
    put(g, o, below(g, o == SIG || o == CAST || o >= SWAIT ? 1 : 2), 0, (int)below(g, 3) + 1);
    g->room--;
}

static inline void put_block(struct gen *g, u32 depth);

static inline void put_inner(struct gen *g, u32 depth)
{
    u32 n = below(g, 3);
    for (u32 i = 0; i < n && g->room; i++)
        put_block(g, depth + 1);
}

/* What is opened is closed: locks are given back, a routine run once is done. */
static inline void put_block(struct gen *g, u32 depth)
{
    u32 x = below(g, 2), jump;
    u32 what = g->room < 2 || depth > 2 ? 0 : below(g, g->is_plain ? 4 : 12);
    switch (what) {
    case 3: case 4:
        g->room--;
        put(g, LOCK, x, 0, 0);
        put_inner(g, depth);
        put(g, UNLOCK, x, 0, 0);
        break;
    case 5:
        g->room--;
        put(g, TRY, x, 0, 0);
        jump = g->n;
        put(g, JZ, 0, 0, 0);
        put_inner(g, depth);
        put(g, UNLOCK, x, 0, 0);
        g->code[jump].v = (signed char)g->n;
        break;
    case 6:
        g->room -= 2;
        put(g, LOCK, 1, 0, 0);
        put(g, g->is_timed && below(g, 2) ? TWAIT : WAIT, 0, 1, 0);
        put(g, UNLOCK, 1, 0, 0);
        break;
    case 7: put(g, SWAIT, 0, 0, 0); g->room--; break;
    case 8:
        g->room--;
        put(g, below(g, 2) ? RD : WRL, 0, 0, 0);
        if (g->room)
            put_simple(g);
        put(g, RUN, 0, 0, 0);
        break;
    case 9:
        g->room--;
        put(g, below(g, 2) ? TRD : TWR, 0, 0, 0);
        put(g, JZ, 0, 0, (int)g->n + 2);
        put(g, RUN, 0, 0, 0);
        break;
    case 10:
        g->room--;
        put(g, ONCE, 0, 0, 0);
        put(g, JZ, 0, 0, (int)g->n + 3);
        put(g, W, 2, 0, (int)below(g, 3) + 1);
        put(g, DONE, 0, 0, 0);
        break;
    case 11:
        g->room--;
        if (g->is_timed && below(g, 2))
            put(g, SLEEP, 0, 0, 0);
        else
            put(g, BAR, 0, 0, 2);
        break;
    default: put_simple(g); break;
    }
}

static inline void generate(struct program *p, u64 seed, bool is_timed, bool is_plain)
{
    struct gen g = {.rng = {seed}, .is_timed = is_timed, .is_plain = is_plain};
    memset(p, 0, sizeof *p);
    p->name = "random";
    p->threads = (u8)(2 + below(&g, 2));
    p->sem[0] = (u8)below(&g, 2);
    for (u32 t = 0; t < p->threads; t++) {
        g.code = p->code[t];
        g.n = 0;
        g.room = p->threads == 2 ? 4 : 2 + below(&g, 2);
        while (g.room && g.n < MAX_CODE - 8)
            put_block(&g, 0);
    }
    if (!below(&g, 16)) /* sometimes it ends before the others have */
        p->code[0][1].op = QUIT;
}

#endif
