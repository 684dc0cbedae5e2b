/* capstone.c: see capstone.h. */
#include "version/capstone.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#ifndef HD_CAPSTONE_LIBRARY
#define HD_CAPSTONE_LIBRARY "libcapstone.so.4"
#endif

int hd_capstone_open(struct hd_capstone *c)
{
    *c = (struct hd_capstone){.library = dlopen(HD_CAPSTONE_LIBRARY, RTLD_LAZY | RTLD_LOCAL)};
    if (!c->library)
        return -ENOENT;
#define FIND(name)                                                                                 \
    if (!(c->name = (__typeof__(c->name))dlsym(c->library, "cs_" #name))) {                        \
        dlclose(c->library);                                                                       \
        return -ENOSYS;                                                                            \
    }
    HD_CAPSTONE_EACH(FIND)
#undef FIND
    if (c->open(CS_ARCH_X86, CS_MODE_64, &c->machine) != CS_ERR_OK) {
        dlclose(c->library);
        return -ENOMEM;
    }
    c->option(c->machine, CS_OPT_DETAIL, CS_OPT_ON);
    c->in = c->malloc(c->machine);
    if (!c->in) {
        hd_capstone_close(c);
        return -ENOMEM;
    }
    return 0;
}

void hd_capstone_close(struct hd_capstone *c)
{
    if (c->in)
        c->free(c->in, 1);
    c->close(&c->machine);
    dlclose(c->library);
}
