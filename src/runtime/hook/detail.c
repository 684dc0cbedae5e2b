/* detail.c: values and callers of events, for reports (HD_MODE_DETAIL; replays only).
 *
 * An event is emitted before its access is made: memory then holds the old value. The
 * new one is there when the next event is emitted, by whatever thread: nobody else
 * ran in between. An address that the program is about to crash on does not crash us here
 * (user_mem.h).
 */
#include "runtime/hook/detail.h"

#include "runtime/hook/caller.h"
#include "runtime/hook/frame.h"
#include "runtime/libc/user_mem.h"

static struct {
    struct hd_detail *to; /* of the latest access, NULL = none open */
    u64 addr;
    u32 size;
} last;

static struct {
    u64 addr; /* of the latest event, if it is a write; 0 = it is not */
    u32 size;
} wrote;

static bool read_value(u64 addr, u32 size, u64 *value)
{
    *value = 0;
    return hd_user_read(value, (const void *)addr, size);
}

void hd_detail_end(void)
{
    if (last.to && read_value(last.addr, last.size, &last.to->after))
        last.to->known |= HD_DETAIL_AFTER;
    last.to = NULL;
}

static u32 hash_of(u64 value)
{
    return (u32)((value + 1) * 0x9e3779b97f4a7c15ull >> (32 + HD_ARG_BITS)) + 1;
}

u32 hd_detail_hash(const struct hd_event *ev)
{
    u64 value = 0;
    if (!hd_event_has_value(ev) || !hd_user_read(&value, (const void *)ev->obj, ev->size))
        return ev->arg;
    return ev->arg | hash_of(value) << HD_ARG_BITS;
}

void hd_detail_wrote(const struct hd_event *ev)
{
    bool writes = hd_event_has_value(ev) && ev->kind != HD_EV_READ && ev->kind != HD_EV_ALOAD;
    wrote.addr = writes ? ev->obj : 0;
    wrote.size = ev->size;
}

u32 hd_detail_left(void)
{
    u64 value = 0;
    if (!wrote.addr || !hd_user_read(&value, (const void *)wrote.addr, wrote.size))
        return 0;
    return hash_of(value);
}

void hd_detail_note(const struct hd_event *ev, u64 position)
{
    struct hd_detail *d = &hd_shm_details(hd_rt.run)[position & (HD_SHM_RING - 1)];
    hd_detail_end();
    *d = (struct hd_detail){0};
    u64 call = hd_caller_of(ev->tid);
    if (call && call != ev->site)
        d->caller[d->n_callers++] = call;
    u32 depth = hd_shm_threads(hd_rt.run)[ev->tid].depth;
    const struct hd_frame *frames = hd_shm_frames(hd_rt.run, ev->tid);
    for (u32 i = HD_MIN(depth, (u32)HD_SHM_FRAMES); i-- > 0 && d->n_callers < HD_DETAIL_CALLERS;)
        d->caller[d->n_callers++] = frames[i].pc;
    d->frame = hd_frame_around(ev->obj);
    if (!hd_event_has_value(ev) || !read_value(ev->obj, ev->size, &d->before))
        return;
    d->known = HD_DETAIL_BEFORE;
    last.to = d;
    last.addr = ev->obj;
    last.size = ev->size;
}
