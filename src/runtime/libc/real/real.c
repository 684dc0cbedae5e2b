/* real.c: finds the real functions: the next definition after ours. */
#include "runtime/libc/real/real.h"

#include <dlfcn.h>

struct hd_real hd_real;

static void *find(const char *name, const char *version)
{
    void *f = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return f ? f : dlsym(RTLD_NEXT, name);
}

int hd_real_init(const char **missing)
{
#define HD_REALFN(name, version)                                                                   \
    if (!(*(void **)&hd_real.name = find(#name, version))) {                                       \
        *missing = #name;                                                                          \
        return -1;                                                                                 \
    }
#define HD_REALFN_OPT(name, version) *(void **)&hd_real.name = find(#name, version);
#include "runtime/libc/real/real.def"
#undef HD_REALFN
#undef HD_REALFN_OPT
    return 0;
}

void *hd_real_late(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (f)
        return f;
    void *math = dlopen("libm.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return math ? dlsym(math, name) : NULL;
}
