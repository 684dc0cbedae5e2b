/* html.h: pages that work from a file, without network: style, script and data inside.
 *
 *   html.c          the page around the data
 *   html_finding.c  the data of a finding's page
 *   overview.c      the data of the page about a whole store
 *   *.html *.css *.js  what is put into the program as it stands (cmake/embed.cmake)
 *
 * Data are one JSON text in which no "<" occurs, so nothing that a program printed or
 * is called can become part of the page.
 */
#ifndef HD_HTML_H
#define HD_HTML_H

#include "report/finding.h"

/* In the first kilobyte of every page of ours. */
#define HD_HTML_MARK "<meta name=\"generator\" content=\"Heddle"

/* What is on a page: text between the tags of <main>, the script that fills it. */
enum hd_html_page { HD_HTML_FINDING, HD_HTML_OVERVIEW };

/* Writes everything up to where the data begin; then the caller writes them with a
 * hd_json that is_embedded; then the rest. */
void hd_html_begin(FILE *to, enum hd_html_page page, const char *title);
void hd_html_end(FILE *to, enum hd_html_page page);

/* The page of one finding. */
void hd_report_html(FILE *to, const struct hd_finding *f, struct hd_symbols *s);

#endif
