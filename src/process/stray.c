/* stray.c: no process of the target outlives heddle. Servers and their runs
 * are in groups of their own; what leaves its group (a daemon that calls
 * setsid) becomes our child when its parent ends, because we are a subreaper. */
#include "process/stray.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void hd_stray_adopt(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

/* Fields behind the name in /proc/<pid>/stat, which may itself hold anything. */
static bool stat_of(int pid, char *state, int *parent, int *group)
{
    char path[40], buf[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, buf, sizeof buf - 1);
    close(fd);
    buf[n > 0 ? n : 0] = '\0';
    const char *p = strrchr(buf, ')');
    return p && sscanf(p + 1, " %c %d %d", state, parent, group) == 3;
}

int hd_stray_parent(int pid)
{
    char state;
    int parent, group;
    return stat_of(pid, &state, &parent, &group) ? parent : -1;
}

bool hd_stray_has_child(int of)
{
    bool has = false;
    DIR *d = opendir("/proc");
    struct dirent *e;
    while (d && !has && (e = readdir(d))) {
        char state;
        int parent, group, pid = isdigit((u8)e->d_name[0]) ? atoi(e->d_name) : 0;
        has = pid && stat_of(pid, &state, &parent, &group) && parent == of && state != 'Z';
    }
    if (d)
        closedir(d);
    return has;
}

static bool is_server(const struct hd_worker *w, u32 n, int pid)
{
    for (u32 i = 0; i < n; i++)
        if (w[i].pid == pid)
            return true;
    return false;
}

static u32 kill_round(const struct hd_worker *w, u32 n, int only)
{
    u32 found = 0;
    int self = (int)getpid();
    DIR *d = opendir("/proc");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char state;
        int parent, group, pid = isdigit((u8)e->d_name[0]) ? atoi(e->d_name) : 0;
        if (!pid || !stat_of(pid, &state, &parent, &group) || parent != self)
            continue;
        if (is_server(w, n, pid) || (only && group != only))
            continue;
        if (state != 'Z')
            kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        found++;
    }
    if (d)
        closedir(d);
    return found;
}

u32 hd_stray_kill(const struct hd_worker *w, u32 n, int group)
{
    u32 total = 0, found;
    /* The children of a killed stray come to us in turn. */
    for (u32 round = 0; round < 64 && (found = kill_round(w, n, group)); round++)
        total += found;
    return total;
}
