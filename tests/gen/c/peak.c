#include "peak.h"

#include <stdatomic.h>
#include <stdlib.h>

struct peak {
    atomic_int max;
};

peak *peak_make(void) { return calloc(1, sizeof(peak)); }

void peak_delete(peak *p) { free(p); }

int peak_see(peak *p, int value)
{
    int was = atomic_load(&p->max);
#ifdef FIXED
    while (value > was)
        if (atomic_compare_exchange_weak(&p->max, &was, value))
            return 1;
    return 0;
#else
    if (value <= was)
        return 0;
    atomic_store(&p->max, value); /* bug */
    return 1;
#endif
}

int peak_max(const peak *p) { return atomic_load(&p->max); }

void peak_reset(peak *p) { atomic_store(&p->max, 0); }
