/* shm_rig.h: shared memory with nobody at its other end. */
#ifndef SHM_RIG_H
#define SHM_RIG_H

#include <sys/mman.h>

#include "event/snapshot.h"

/* As the target has it: everything can be written. */
struct rig {
    struct hd_shm_host *host;
    struct hd_shm_server *server;
    struct hd_shm_run *run;
};

static inline void *rig_map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    return p;
}

static inline struct rig rig_make(void)
{
    char *shared = rig_map(hd_shm_shared_bytes());
    return (struct rig){rig_map(hd_shm_host_bytes()), (void *)shared,
                        (void *)(shared + hd_shm_server_bytes())};
}

static inline void rig_drop(struct rig *m)
{
    munmap(m->host, hd_shm_host_bytes());
    munmap(m->server, hd_shm_shared_bytes());
}

static inline void rig_snapshot(struct hd_snapshot *s, const struct rig *m)
{
    hd_snapshot_init(s, &(struct hd_shm){.host = m->host, .server = m->server, .run = m->run});
}

/* The run that the server says it is at, as a host that sent it. */
static inline void rig_take(struct hd_snapshot *s, const struct rig *m)
{
    struct hd_command cmd = {HD_CMD_RUN, 1, m->server->run, m->server->batch};
    rig_snapshot(s, m);
    hd_snapshot_take(s, &m->host->cfg, &cmd, 1);
}

#endif
