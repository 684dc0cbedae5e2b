/* sentence_heap.c: a wrong use of heap memory in one sentence: what was done to which
 * block, who allocated and who freed it. */
#include "report/explain/sentence.h"

#define NAME HD_SENTENCE_NAME

static void write_place(struct hd_model *st, FILE *to, const char *did,
                        const struct hd_heap_place *p)
{
    char who[48], place[NAME];
    hd_name_thread(st, p->tid, who, sizeof who);
    fprintf(to, " %s by %s", did, who);
    if (p->n) {
        hd_name_stack_site(st, p->pc, p->n, place, sizeof place);
        fprintf(to, " at %s", place);
    }
}

/* "A freed block of 40 bytes ... was written, byte 8 of it: noticed at the end of the run." */
static void write_noticed(struct hd_model *st, FILE *to)
{
    const struct hd_heap_report *h = &st->f->verdict.heap;
    char who[48], place[NAME];
    s64 beyond = h->offset - (s64)h->size;
    fprintf(to, "A %sblock of %llu byte%s", h->freed.n ? "freed " : "", (unsigned long long)h->size,
            h->size == 1 ? "" : "s");
    if (h->alloc.n)
        write_place(st, to, "allocated", &h->alloc);
    if (h->freed.n)
        write_place(st, to, h->alloc.n ? "and freed" : "freed", &h->freed);
    if (beyond > 0)
        fprintf(to, " was written %lld byte%s past its end", (long long)beyond, beyond == 1 ? "" : "s");
    else if (!beyond)
        fputs(" was written right behind its end", to);
    else
        fprintf(to, " was written, byte %lld of it", (long long)h->offset);
    if (h->noticed == HD_NOTICED_END) {
        fputs(": noticed at the end of the run", to);
    } else {
        hd_name_thread(st, h->use.tid, who, sizeof who);
        fprintf(to, ": noticed when %s %s", who, h->noticed == HD_NOTICED_FREE ? "freed it" :
                "freed or allocated another block");
        if (h->use.n) {
            hd_name_stack_site(st, h->use.pc, h->use.n, place, sizeof place);
            fprintf(to, " at %s", place);
        }
    }
    fputs(st->f->stats.is_heap_sampled
              ? ". The write itself was not seen: a run as long as this one checks samples only"
              : ". The write itself was not seen: it was made by a system call or by code without "
                "instrumentation", to);
}

void hd_sentence_heap(struct hd_model *st, FILE *to)
{
    static const char *const did[] = {
        [HD_HEAP_READ_FREED] = "read %u bytes of freed memory",
        [HD_HEAP_WRITE_FREED] = "wrote %u bytes of freed memory",
        [HD_HEAP_READ_OVERFLOW] = "read %u bytes outside of a block",
        [HD_HEAP_WRITE_OVERFLOW] = "wrote %u bytes outside of a block",
        [HD_HEAP_READ_WILD] = "read %u bytes of heap memory that belongs to no block",
        [HD_HEAP_WRITE_WILD] = "wrote %u bytes of heap memory that belongs to no block",
        [HD_HEAP_DOUBLE_FREE] = "freed a block for the second time",
        [HD_HEAP_INVALID_FREE] = "freed an address that is no block's begin",
    };
    const struct hd_heap_report *h = &st->f->verdict.heap;
    struct hd_heap_place use = h->use;
    char place[NAME];
    if (h->noticed && h->block)
        return write_noticed(st, to);
    if (!use.n)
        use.tid = st->f->verdict.tid;
    hd_name_thread(st, use.tid, place, sizeof place);
    fprintf(to, "%s ", place);
    fprintf(to, h->kind && h->kind < HD_COUNT(did) ? did[h->kind] : "made a heap error",
            h->access_size);
    u64 site = st->f->verdict.pc;
    if (use.n || site) {
        hd_name_stack_site(st, use.n ? use.pc : &site, use.n ? use.n : 1, place, sizeof place);
        fprintf(to, " at %s", place);
    }
    if (!h->block)
        return;
    s64 beyond = h->offset - (s64)h->size;
    if (h->kind == HD_HEAP_DOUBLE_FREE || (!h->access_size && !h->offset))
        fprintf(to, ":");
    else if (beyond == 0)
        fprintf(to, ": right behind");
    else if (beyond > 0)
        fprintf(to, ": %lld byte%s past the end of", (long long)beyond, beyond == 1 ? "" : "s");
    else if (h->access_size)
        fprintf(to, ": byte %lld of", (long long)h->offset);
    else
        fprintf(to, ": %lld byte%s into", (long long)h->offset, h->offset == 1 ? "" : "s");
    fprintf(to, " a block of %llu bytes", (unsigned long long)h->size);
    if (h->alloc.n)
        write_place(st, to, "allocated", &h->alloc);
    if (h->freed.n)
        write_place(st, to, h->alloc.n ? "and freed" : "freed", &h->freed);
}
