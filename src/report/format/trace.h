/* trace.h: a run as a picture: Chrome's trace event format, read by Perfetto and
 * chrome://tracing. docs/cmd/replay.md */
#ifndef HD_TRACE_H
#define HD_TRACE_H

#include "report/finding.h"

/* The recorded steps: one track per thread, the number of the step as time, an
 * arrow for every dependency between threads. */
void hd_report_trace(FILE *to, const struct hd_finding *f, struct hd_symbols *s);

#endif
