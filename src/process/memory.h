/* memory.h: the memory that a worker shares with its target (event/shm.h), in the host. */
#ifndef HD_PROCESS_MEMORY_H
#define HD_PROCESS_MEMORY_H

#include "error/error.h"
#include "event/snapshot.h"

/* Makes both files, maps the host's part to write and the others to read, and seals them: none
 * can be made smaller or larger, and the host's can be written by nobody else. Makes the files
 * that long logs and scripts go on in; *script_fd is for the target. 0 or negative
 * errno with a sentence in err; on failure too, release takes what is there. */
int hd_memory_make(struct hd_shm *m, int *host_fd, int *shared_fd, int *script_fd,
                   struct hd_error *err);
void hd_memory_release(struct hd_shm *m);
/* In the process that is about to become the target (--gdb): HD_HOST_FD is a copy of the host's
 * part that it may write, the other one is that of HD_SHM_FD; HD_SCRIPT_FD is a new file. 0 or
 * negative errno. */
int hd_memory_renew(struct hd_shm *m);

#endif
