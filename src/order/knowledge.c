/* knowledge.c: see knowledge.h. The time of a thread at event i is i + 1, so what it releases
 * after event i is known by a time above i + 1.
 */
#include "order/knowledge.h"
#include "base/vec.h"

#include <stdlib.h>

void hd_knowledge_init(struct hd_knowledge *k)
{
    *k = (struct hd_knowledge){0};
    hd_order_init(&k->order, HD_ORDER_ALL);
}

void hd_knowledge_release(struct hd_knowledge *k)
{
    hd_order_release(&k->order);
    free(k->row);
    hd_knowledge_init(k);
}

void hd_knowledge_read(struct hd_knowledge *k, const struct hd_event *run, const u32 *index, u32 n)
{
    struct hd_order *o = &k->order;
    k->n_threads = 0;
    for (u32 x = 0; x < n; x++)
        k->n_threads = HD_MAX(k->n_threads, run[index[x]].tid + 1u);
    k->row = hd_vec_room(k->row, &k->cap, (size_t)n * k->n_threads, sizeof *k->row);
    hd_order_begin(o);
    for (u32 i = 0, x = n; x; i++) {
        struct hd_order_thread *th = hd_order_thread(o, run[i].tid);
        if (index[x - 1] == i) {
            u32 *row = &k->row[(size_t)--x * k->n_threads];
            for (u32 t = 0; t < k->n_threads; t++)
                row[t] = hd_vclock_at(&th->known, t);
        }
        th->time = i + 1;
        hd_order_event(o, &run[i]);
    }
}

bool hd_knowledge_is_before(const struct hd_knowledge *k, const struct hd_event *run,
                            const u32 *index, u32 x, u32 y)
{
    u16 from = run[index[x]].tid, to = run[index[y]].tid;
    return from == to || k->row[(size_t)y * k->n_threads + from] > index[x] + 1;
}
