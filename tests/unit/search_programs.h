/* search_programs.h: programs for test_search_*.c: two or three threads, up to
 * about ten steps. What must come out is computed, not written down. */
#ifndef SEARCH_PROGRAMS_H
#define SEARCH_PROGRAMS_H

#include "search_rig.h"

static const struct program programs[] = {
    {"lost update", 2, {0}, {{{R, 0, 0, 0}, {WR, 0, 0, 1}}, {{R, 0, 0, 0}, {WR, 0, 0, 1}}}},
    {"independent", 3, {0}, {{{W, 0, 0, 1}, {R, 0, 0, 0}}, {{W, 1, 0, 1}, {R, 1, 0, 0}},
                             {{W, 2, 0, 1}, {R, 2, 0, 0}}}},
    {"one writer, two readers", 3, {0}, {{{W, 0, 0, 1}}, {{R, 0, 0, 0}}, {{R, 0, 0, 0}}}},
    {"three writers", 3, {0}, {{{W, 0, 0, 1}}, {{W, 0, 0, 2}}, {{W, 0, 0, 3}}}},
    {"store buffer", 2, {0}, {{{W, 0, 0, 1}, {R, 1, 0, 0}}, {{W, 1, 0, 1}, {R, 0, 0, 0}}}},
    {"message", 2, {0}, {{{W, 0, 0, 1}, {W, 1, 0, 1}},
                         {{R, 1, 0, 0}, {JZ, 0, 0, 3}, {R, 0, 0, 0}}}},
    {"iriw", 3, {0}, {{{W, 0, 0, 1}, {W, 1, 0, 1}}, {{R, 0, 0, 0}, {R, 1, 0, 0}},
                      {{R, 1, 0, 0}, {R, 0, 0, 0}}}},
    {"mutex", 3, {0}, {{{LOCK, 0, 0, 0}, {R, 0, 0, 0}, {WR, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
                       {{LOCK, 0, 0, 0}, {R, 0, 0, 0}, {WR, 0, 0, 2}, {UNLOCK, 0, 0, 0}},
                       {{LOCK, 0, 0, 0}, {W, 0, 0, 7}, {UNLOCK, 0, 0, 0}}}},
    {"lock order", 2, {0},
     {{{LOCK, 0, 0, 0}, {LOCK, 1, 0, 0}, {UNLOCK, 1, 0, 0}, {UNLOCK, 0, 0, 0}},
      {{LOCK, 1, 0, 0}, {LOCK, 0, 0, 0}, {UNLOCK, 0, 0, 0}, {UNLOCK, 1, 0, 0}}}},
    {"lock order, one more", 3, {0},
     {{{LOCK, 0, 0, 0}, {LOCK, 1, 0, 0}, {UNLOCK, 1, 0, 0}, {UNLOCK, 0, 0, 0}},
      {{LOCK, 1, 0, 0}, {LOCK, 0, 0, 0}, {UNLOCK, 0, 0, 0}, {UNLOCK, 1, 0, 0}},
      {{W, 0, 0, 1}, {LOCK, 0, 0, 0}, {UNLOCK, 0, 0, 0}}}},
    {"two locks in turn", 2, {0},
     {{{LOCK, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0},
       {LOCK, 1, 0, 0}, {W, 1, 0, 1}, {UNLOCK, 1, 0, 0}},
      {{LOCK, 0, 0, 0}, {W, 0, 0, 2}, {UNLOCK, 0, 0, 0},
       {LOCK, 1, 0, 0}, {W, 1, 0, 2}, {UNLOCK, 1, 0, 0}}}},
    {"trylock", 2, {0}, {{{LOCK, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
                         {{TRY, 0, 0, 0}, {JZ, 0, 0, 4}, {W, 0, 0, 2}, {UNLOCK, 0, 0, 0}}}},
    {"three trylocks", 3, {0}, {{{TRY, 0, 0, 0}}, {{TRY, 0, 0, 0}}, {{TRY, 0, 0, 0}}}},
    {"lost wake-up", 2, {0}, {{{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
                              {{LOCK, 0, 0, 0}, {SIG, 0, 0, 0}, {UNLOCK, 0, 0, 0}}}},
    {"flag and signal", 2, {0},
     {{{LOCK, 0, 0, 0}, {R, 0, 0, 0}, {JNZ, 0, 0, 4}, {WAIT, 0, 0, 0}, {UNLOCK, 0, 0, 0}},
      {{LOCK, 0, 0, 0}, {W, 0, 0, 1}, {SIG, 0, 0, 0}, {UNLOCK, 0, 0, 0}}}},
    {"signal without the lock", 2, {0},
     {{{LOCK, 0, 0, 0}, {R, 0, 0, 0}, {JNZ, 0, 0, 4}, {WAIT, 0, 0, 0}, {UNLOCK, 0, 0, 0}},
      {{W, 0, 0, 1}, {SIG, 0, 0, 0}}}},
    {"two waiters, one signal", 3, {0},
     {{{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
      {{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {W, 0, 0, 2}, {UNLOCK, 0, 0, 0}}, {{SIG, 0, 0, 0}}}},
    {"two waiters, two signals", 3, {0},
     {{{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
      {{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {W, 0, 0, 2}, {UNLOCK, 0, 0, 0}},
      {{SIG, 0, 0, 0}, {SIG, 0, 0, 0}}}},
    {"broadcast", 3, {0},
     {{{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
      {{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {W, 0, 0, 2}, {UNLOCK, 0, 0, 0}}, {{CAST, 0, 0, 0}}}},
    {"two signallers", 3, {0}, {{{LOCK, 0, 0, 0}, {WAIT, 0, 0, 0}, {UNLOCK, 0, 0, 0}, {W, 0, 0, 1}},
                                {{SIG, 0, 0, 0}, {R, 0, 0, 0}}, {{SIG, 0, 0, 0}}}},
    {"semaphore orders", 2, {0}, {{{W, 0, 0, 1}, {POST, 0, 0, 0}},
                                  {{SWAIT, 0, 0, 0}, {R, 0, 0, 0}}}},
    {"one permit", 3, {1}, {{{SWAIT, 0, 0, 0}, {W, 0, 0, 1}, {POST, 0, 0, 0}},
                            {{SWAIT, 0, 0, 0}, {W, 0, 0, 2}, {POST, 0, 0, 0}}, {{STRY, 0, 0, 0}}}},
    {"two posts, one wait", 3, {0}, {{{POST, 0, 0, 0}}, {{POST, 0, 0, 0}},
                                     {{W, 0, 0, 1}, {SWAIT, 0, 0, 0}, {R, 0, 0, 0}}}},
    {"too few posts", 3, {0}, {{{SWAIT, 0, 0, 0}, {W, 0, 0, 1}}, {{SWAIT, 0, 0, 0}, {W, 0, 0, 2}},
                               {{R, 0, 0, 0}, {POST, 0, 0, 0}}}},
    {"semaphore value", 2, {1}, {{{SWAIT, 0, 0, 0}, {POST, 0, 0, 0}},
                                 {{SGET, 0, 0, 0}, {POST, 0, 0, 0}}}},
    {"barrier", 2, {0}, {{{W, 0, 0, 1}, {BAR, 0, 0, 2}, {R, 1, 0, 0}},
                         {{W, 1, 0, 1}, {BAR, 0, 0, 2}, {W, 0, 0, 2}}}},
    {"barrier twice", 2, {0}, {{{BAR, 0, 0, 2}, {W, 0, 0, 1}, {BAR, 0, 0, 2}},
                               {{BAR, 0, 0, 2}, {R, 0, 0, 0}, {BAR, 0, 0, 2}}}},
    {"rwlock", 3, {0}, {{{RD, 0, 0, 0}, {R, 0, 0, 0}, {RUN, 0, 0, 0}},
                        {{RD, 0, 0, 0}, {R, 0, 0, 0}, {RUN, 0, 0, 0}},
                        {{WRL, 0, 0, 0}, {W, 0, 0, 1}, {RUN, 0, 0, 0}}}},
    {"write under a read lock", 2, {0}, {{{RD, 0, 0, 0}, {W, 0, 0, 1}, {RUN, 0, 0, 0}},
                                         {{RD, 0, 0, 0}, {R, 0, 0, 0}, {RUN, 0, 0, 0}}}},
    {"rwlock tries", 3, {0}, {{{WRL, 0, 0, 0}, {RUN, 0, 0, 0}}, {{TRD, 0, 0, 0}},
                              {{TWR, 0, 0, 0}}}},
    {"upgrade", 2, {0}, {{{RD, 0, 0, 0}, {WRL, 0, 0, 0}}, {{RD, 0, 0, 0}, {RUN, 0, 0, 0}}}},
    {"once", 3, {0}, {{{ONCE, 0, 0, 0}, {JZ, 0, 0, 4}, {W, 0, 0, 1}, {DONE, 0, 0, 0}},
                      {{ONCE, 0, 0, 0}, {JZ, 0, 0, 4}, {W, 0, 0, 2}, {DONE, 0, 0, 0}},
                      {{ONCE, 0, 0, 0}, {JZ, 0, 0, 4}, {W, 0, 0, 3}, {DONE, 0, 0, 0}}}},
    {"tickets", 3, {0}, {{{ADD, 0, 0, 1}}, {{ADD, 0, 0, 1}}, {{ADD, 0, 0, 1}}}},
    {"aba", 2, {0}, {{{R, 0, 0, 0}, {CAS, 0, 0, 5}}, {{W, 0, 0, 1}, {W, 0, 0, 0}}}},
    {"timed wait", 2, {0}, {{{LOCK, 0, 0, 0}, {TWAIT, 0, 0, 0}, {UNLOCK, 0, 0, 0}},
                            {{LOCK, 0, 0, 0}, {SIG, 0, 0, 0}, {UNLOCK, 0, 0, 0}}}},
    {"timed lock", 2, {0}, {{{LOCK, 0, 0, 0}, {W, 0, 0, 1}, {UNLOCK, 0, 0, 0}},
                            {{TLOCK, 0, 0, 0}, {R, 0, 0, 0}}}},
    {"sleep", 2, {0}, {{{SLEEP, 0, 0, 0}, {W, 0, 0, 1}},
                       {{R, 0, 0, 0}, {SLEEP, 0, 0, 0}, {W, 0, 0, 2}}}},
    {"quit", 2, {0}, {{{W, 0, 0, 1}, {QUIT, 0, 0, 0}}, {{W, 1, 0, 1}, {W, 2, 0, 1}}}},
};

static inline bool is_timed(const struct program *p)
{
    for (u32 t = 0; t < p->threads; t++)
        for (u32 i = 0; i < MAX_CODE; i++)
            if (p->code[t][i].op == TWAIT || p->code[t][i].op == TLOCK ||
                p->code[t][i].op == SLEEP)
                return true;
    return false;
}

#endif
