/* news_emit.h: an event has happened: what is added to it on its way to the host (news.h), and who else in the
 * target learns of it. */
#ifndef HD_NEWS_EMIT_H
#define HD_NEWS_EMIT_H

#include "runtime/core/rt.h"

/* The scheduler's `emit`; also for accesses that are no steps. Baton held. */
void hd_news_emit(void *self, const struct hd_event *ev);

#endif
