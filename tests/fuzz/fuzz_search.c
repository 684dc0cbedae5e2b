/* fuzz_search.c: the text of a search that is not over, as a row of the store holds it. What is
 * accepted must be usable: it is searched for a few runs that are lost or end at once, saved, and
 * read again. */
#include "fuzz/fuzz.h"

#include "plan/search_run.h"
#include "search/search.h"
#include "text/words.h"

enum { RUNS = 24, SLOTS = 3 };

static void search_on(struct hd_search *s)
{
    static const struct hd_pending pending[64];
    const struct hd_trace over = {.pending = pending, .n_threads = 1, .is_partial = true};
    bool is_busy[SLOTS] = {0};
    struct hd_plan plan;
    for (u32 i = 0; i < RUNS; i++) {
        u32 slot = i % SLOTS;
        if (is_busy[slot])
            hd_search_ran_at(s, slot, i % 2 ? NULL : &over);
        is_busy[slot] = hd_search_next_at(s, slot, &plan) == HD_NEXT_RUN;
        for (u32 k = 0; is_busy[slot] && k < plan.n; k++)
            FUZZ_EXPECT(plan.choice[k].kind);
    }
}

static void save_and_load(struct hd_search *s, const struct hd_search_opts *how)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    FUZZ_EXPECT(to);
    hd_search_save(s, to);
    fclose(to);
    struct hd_search *again = hd_search_open(how);
    struct hd_words w = hd_words_of(text, n);
    FUZZ_EXPECT(hd_search_load(again, &w));
    hd_search_close(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char name[16], *text = fuzz_text(data, n);
    unsigned long long param = 0;
    const char *line = strstr(text, "\nsearch ");
    const struct hd_search_method *m = NULL;
    if (line && sscanf(line + 8, "%15s %llx", name, &param) == 2)
        m = hd_search_find(name);
    if (m) {
        struct hd_search_opts how = {.method = m, .param = param, .memory = 1 << 20};
        struct hd_search *s = hd_search_open(&how);
        struct hd_search_memory k = {0};
        if (hd_search_memory_parse(text, n, s, &k)) {
            save_and_load(s, &how);
            search_on(s);
            save_and_load(s, &how);
        }
        hd_map_release(&k.site);
        hd_search_close(s);
    }
    free(text);
    return 0;
}
