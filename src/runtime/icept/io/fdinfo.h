/* fdinfo.h: what the runtime knows about the program's descriptors. */
#ifndef HD_FDINFO_H
#define HD_FDINFO_H

#include "runtime/core/rt.h"

enum {
    HD_FD_INTERNAL = 1, /* pipe, socketpair, eventfd, ...: both ends are in this process */
    HD_FD_RANDOM = 2,   /* /dev/urandom or /dev/random */
    HD_FD_EPOLL = 4,    /* internal as long as everything it watches is */
    HD_FD_OWN_PEER = 8, /* connection between two sockets of this process */
    HD_FD_PEERS = 16,   /* epoll: watches what somebody outside may feed */
    HD_FD_UPTIME = 32,  /* stands for /proc/uptime */
};

/* A descriptor with these properties exists from now on. */
void hd_fd_mark(int fd, u8 flags);
void hd_fd_copy(int from, int to); /* dup & co. */
void hd_fd_forget(int fd);
bool hd_fd_is_internal(int fd);
bool hd_fd_is_random(int fd);
bool hd_fd_is_uptime(int fd);
void hd_fd_epoll_watches(int epfd, int fd);
/* Somebody outside may be at its other end now: another process, a terminal. Not so
 * a socket that only listens, or is connected to another one of this process. */
bool hd_fd_has_peer(int fd);
/* The same, looked at anew for what an epoll descriptor watches now. Takes a while. */
bool hd_fd_is_connected(int fd);

/* A call on a file of the kernel's (/proc, /sys) by the only thread there is. How long such a text
 * is differs from place to place, and so does how often a program reads; nobody can come between
 * these calls, so a replay need not find them again. */
bool hd_fd_is_no_step(int fd, u64 site, u8 op_flags);

/* S_IFMT part of the mode, 0 if not open. */
u32 hd_fd_kind(int fd);
/* Open for `mode` (O_RDONLY or O_WRONLY) and without O_NONBLOCK? If not, the
 * real call does not block. */
bool hd_fd_blocks(int fd, int mode);

#endif
