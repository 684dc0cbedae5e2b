/* capstone.h: the library that decodes instructions, loaded while it is used: with its tables
 * it is a third of what a campaign on a small program takes in memory, and only fingerprints
 * need it. The only includer of capstone's header. */
#ifndef HD_CAPSTONE_H
#define HD_CAPSTONE_H

#include <capstone/capstone.h>

/* Functions of the library that are used, as its header declares them. */
#define HD_CAPSTONE_EACH(F) F(open) F(close) F(option) F(malloc) F(free) F(disasm_iter) F(insn_group)

struct hd_capstone {
    void *library;
#define HD_CAPSTONE_FIELD(name) __typeof__(cs_##name) *name;
    HD_CAPSTONE_EACH(HD_CAPSTONE_FIELD)
#undef HD_CAPSTONE_FIELD
    csh machine;
    cs_insn *in;
};

/* Ready to decode x86-64 into `in`. 0 or negative errno: then there is nothing to close. */
int hd_capstone_open(struct hd_capstone *c);
void hd_capstone_close(struct hd_capstone *c);

#endif
