/* save.h: a finding on disk; see save.c. */
#ifndef HD_CAMPAIGN_SAVE_H
#define HD_CAMPAIGN_SAVE_H

#include "error/error.h"
#include "report/finding.h"

/* Writes dir/findings/<id>/ (replay.heddle, report.txt, report.json, report.html, stdout.txt,
 * stderr.txt, stdin, README) through a temporary folder, and dir/findings/latest.
 * Sets f->dir, also in the report. stdin_fd may be -1. If that fails what was saved
 * before stays (f->is_outdated). */
int hd_save_finding(struct hd_finding *f, struct hd_symbols *s, const char *dir, int stdin_fd,
                    struct hd_error *err);
/* Copies standard input, if there was any, to dir/name and names it in r. */
int hd_save_input(const char *dir, const char *name, struct hd_replay *r, int stdin_fd);
/* Writes report.txt, report.json and report.html of f in `dir` anew. */
int hd_save_reports(const struct hd_finding *f, struct hd_symbols *s, const char *dir);

#endif
