/* maps.h: the kernel's list of mappings, /proc/self/maps. */
#ifndef HD_MAPS_H
#define HD_MAPS_H

#include "runtime/core/rt.h"

enum {
    HD_MAPPING_ANONYMOUS, /* met by this process and the children it forks */
    HD_MAPPING_DELETED,   /* a file without a name: by who has a descriptor */
    HD_MAPPING_SYSV,      /* shmget() */
    HD_MAPPING_FILE,
};
struct hd_mapping {
    u64 start, end;
    u64 device, inode; /* device: as a number of its hexadecimal digits */
    bool is_shared;
    u8 kind;           /* of a shared one */
};

/* The mapping around addr; false if there is none. */
bool hd_maps_find(u64 addr, struct hd_mapping *out);

/* The same from a list of all shared mappings, as hd_maps_load read it. */
void hd_maps_load(void);
bool hd_maps_loaded(u64 addr, struct hd_mapping *out);

/* Has another process (but the fork server, which only makes runs) this shared
 * mapping's memory, too? What the kernel does not let us look at is taken as no. */
bool hd_maps_is_elsewhere(const struct hd_mapping *m);

#endif
