/* remember.c: findings of a campaign in the store. */
#include "campaign/campaign.h"

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
