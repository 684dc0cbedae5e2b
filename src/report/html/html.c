/* html.c: the page around the data; see html.h. */
#include "report/html/html.h"

#include "report/clean.h"

#include <stdlib.h>
#include <string.h>

/* The files of this folder. */
extern const char hd_html_style_css[], hd_html_view_js[];
extern const char hd_html_finding_html[], hd_html_finding_js[];
extern const char hd_html_overview_html[], hd_html_overview_js[];

static const struct {
    const char *body, *script;
} pages[] = {
    [HD_HTML_FINDING] = {hd_html_finding_html, hd_html_finding_js},
    [HD_HTML_OVERVIEW] = {hd_html_overview_html, hd_html_overview_js},
};

/* Text between tags. Control characters and bytes that are no UTF-8 become harmless. */
static void put_text(FILE *to, const char *text)
{
    char *clean = NULL;
    size_t n;
    FILE *m = open_memstream(&clean, &n);
    HD_ASSERT(m);
    hd_clean_put(m, text);
    HD_ASSERT(!fclose(m));
    for (const char *p = clean; *p; p++)
        switch (*p) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        case '"': fputs("&quot;", to); break;
        default: fputc(*p, to);
        }
    free(clean);
}

void hd_html_begin(FILE *to, enum hd_html_page page, const char *title)
{
    /* No address but "data:" may be fetched, whatever is in the data. */
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          HD_HTML_MARK " " HD_VERSION "\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>", to);
    put_text(to, title);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n%s"
            "<script type=\"application/json\" id=\"data\">",
            hd_html_style_css, pages[page].body);
}

void hd_html_end(FILE *to, enum hd_html_page page)
{
    fprintf(to, "</script>\n<script>\n\"use strict\";\n(() => {\n%s%s})();\n</script>\n</body>\n</html>\n",
            hd_html_view_js, pages[page].script);
}
