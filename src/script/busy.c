/* busy.c: whoever waits for the program gave up. If the program had nothing to do it hangs; if it was at
 * work all the time, under a schedule that makes it slow, nobody knows: that is a limit of ours. */
#include <dirent.h>
#include <stdio.h>

#include "base/stop.h"
#include "script/state.h"

/* Time for which the program's threads have run, or could have but for others on the processor. */
static u64 ready_ns(const struct hd_worker *w)
{
    char path[64];
    u64 sum = 0;
    const struct dirent *e;
    snprintf(path, sizeof path, "/proc/%d/task", hd_worker_child(w));
    DIR *tasks = opendir(path);
    while (tasks && (e = readdir(tasks))) {
        unsigned long long ran, waited;
        char file[sizeof path + sizeof e->d_name + 16];
        snprintf(file, sizeof file, "%s/%s/schedstat", path, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(file, "re");
        if (f && fscanf(f, "%llu %llu", &ran, &waited) == 2)
            sum += ran + waited;
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

void hd_script_watch(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    if (r->watched == r->state)
        return;
    r->watched = r->state;
    r->watched_ns = hd_monotonic_ns();
    r->ready_ns = ready_ns(w);
}

u32 hd_script_late_kind(const struct hd_worker *w)
{
    const struct hd_script_run *r = w->script;
    u64 now = ready_ns(w), passed = (u64)(hd_monotonic_ns() - r->watched_ns);
    return now > r->ready_ns && now - r->ready_ns > passed / 2 ? HD_V_LIMIT : HD_V_CHECK;
}
