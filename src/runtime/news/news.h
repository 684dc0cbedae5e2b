/* news.h: which events of a run go to the host, through the ring in shared memory; see
 * news.c and docs/design/long.md. */
#ifndef HD_NEWS_H
#define HD_NEWS_H

#include "runtime/core/rt.h"

void hd_news_init(void);
/* A run is about to begin; in the server. */
void hd_news_begin(void);
/* Into the ring, or into the backlog if it is late in the run and a repeat. */
void hd_news_event(const struct hd_event *ev);
/* What the next event is told to have been left behind (hd_shm_left). */
extern HD_HIDDEN u32 hd_news_left;
/* So many plain accesses without news, of which most may not even be events, fall silent. */
#define HD_NEWS_ENOUGH 16384u
extern HD_HIDDEN u32 hd_news_accesses; /* since the last news */
void hd_news_many(void);
HD_INLINE void hd_news_count_access(void)
{
    if (HD_UNLIKELY(++hd_news_accesses >= HD_NEWS_ENOUGH))
        hd_news_many();
}
/* What the run is for has happened: a little more is put into the ring, and then nothing, so that it is
 * still there when a long run ends. */
void hd_news_end_soon(void);
extern HD_HIDDEN u64 hd_news_over_at; /* position in the ring, 0 = none */
HD_INLINE bool hd_news_is_over(void)
{
    return HD_UNLIKELY(hd_news_over_at) && hd_rt.run->ring_written >= hd_news_over_at;
}
/* The run is over: the host gets the last events of the backlog. In the server. */
void hd_news_end(void);

/* Late: events that are repeats are left out. */
HD_INLINE bool hd_news_is_late(void)
{
    const struct hd_config *cfg = &hd_rt.server->cfg;
    return cfg->mode & HD_MODE_STREAM && cfg->stream_all &&
           hd_rt.run->stats.events >= cfg->stream_all;
}

#endif
