/* predicted.h: what a predictor has predicted, for tests. */
#ifndef HD_TEST_PREDICTED_H
#define HD_TEST_PREDICTED_H

#include "predict/predict.h"

static inline bool predicted_has(struct hd_predict *p, const struct hd_element *e)
{
    struct hd_key k;
    hd_set_key(&p->set, e, &k);
    return hd_set_find(&p->set, &k) != 0;
}

static inline u32 predicted_size(const struct hd_predict *p) { return p->set.n; }

/* Element i < predicted_size. */
static inline void predicted_at(const struct hd_predict *p, u32 i, struct hd_element *e)
{
    HD_ASSERT(i < p->set.n);
    hd_set_element(&p->set, &p->set.record[i + 1].key, e);
}

#endif
