/* remember.c: findings of a campaign in the store, and what it was not in control of. */
#include "campaign/campaign.h"

#include <stdio.h>

#include "cover/cover.h"
#include "report/explain/model.h"

void hd_campaign_remember(const struct hd_campaign *c, struct hd_cover *cover)
{
    for (u32 i = 0; i < c->n_findings; i++) {
        const struct hd_finding *f = &c->findings[i];
        u32 times = c->times ? c->times[i] : 1;
        char title[512];
        if (hd_cover_knows_finding(cover, i, times))
            continue;
        hd_report_title(f, c->symbols, title, sizeof title);
        struct hd_store_finding s = {.key = f->id, .kind = hd_finding_kind(f), .title = title,
                                     .dir = f->dir};
        hd_cover_finding(cover, i, &s, f->run, times);
    }
}

void hd_campaign_remember_end(const struct hd_campaign *c, struct hd_cover *cover)
{
    bool is_one = c->uncontrolled && !(c->uncontrolled & (c->uncontrolled - 1));
    hd_campaign_remember(c, cover);
    if (c->runs && !c->is_instrumented)
        hd_cover_uncontrolled(cover, "memory accesses: the program is not built with "
                                     "-fsanitize=thread");
    for (u32 bit = 0; bit < HD_UNC_COUNT; bit++) {
        char text[256];
        if (!(c->uncontrolled >> bit & 1))
            continue;
        bool is_named = is_one && c->uncontrolled_call[0]; /* the first call is of some bit */
        snprintf(text, sizeof text, "%s%s%.64s%s", hd_name_uncontrolled(bit), is_named ? " (" : "",
                 is_named ? c->uncontrolled_call : "", is_named ? ")" : "");
        hd_cover_uncontrolled(cover, text);
    }
}
