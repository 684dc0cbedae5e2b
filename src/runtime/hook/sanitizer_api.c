/* sanitizer_api.c: functions of libtsan that a program may call itself: about
 * its heap, its stack, reports, coverage counters. Those about reports answer
 * that there is none: findings are told by the host.
 */
#include "runtime/heap/heap.h"

#include "runtime/hook/caller.h"
#include "runtime/libc/sys.h"

#define NOTHING(name)                                                                              \
    HD_EXPORT void name(void);                                                                     \
    HD_EXPORT void name(void) {}
#define ZERO(name)                                                                                 \
    HD_EXPORT u64 name(void);                                                                      \
    HD_EXPORT u64 name(void) { return 0; }

/* ---- heap --------------------------------------------------------------------------- */

HD_EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t size);
HD_EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t size) { return size; }

HD_EXPORT int __sanitizer_get_ownership(const volatile void *p);
HD_EXPORT int __sanitizer_get_ownership(const volatile void *p)
{
    struct hd_heap_block b;
    return hd_heap_find((u64)p, &b) && b.start == (u64)p && b.state == HD_BLOCK_LIVE;
}

HD_EXPORT size_t __sanitizer_get_allocated_size(const volatile void *p);
HD_EXPORT size_t __sanitizer_get_allocated_size(const volatile void *p)
{
    return hd_heap_size((const void *)p);
}

HD_EXPORT size_t __sanitizer_get_current_allocated_bytes(void);
HD_EXPORT size_t __sanitizer_get_current_allocated_bytes(void) { return hd_heap.live_bytes; }

HD_EXPORT size_t __sanitizer_get_heap_size(void);
HD_EXPORT size_t __sanitizer_get_heap_size(void)
{
    return hd_heap.small.top - hd_heap.small.start + hd_heap.large.top - hd_heap.large.start;
}

ZERO(__sanitizer_get_free_bytes)
ZERO(__sanitizer_get_unmapped_bytes)
ZERO(__sanitizer_install_malloc_and_free_hooks) /* 0: not installed */
NOTHING(__sanitizer_purge_allocator)
NOTHING(__tsan_flush_memory)

HD_EXPORT int __tsan_get_alloc_stack(u64 addr, u64 *trace, size_t size, int *thread, s32 *os_id);
HD_EXPORT int __tsan_get_alloc_stack(u64 addr, u64 *trace, size_t size, int *thread, s32 *os_id)
{
    struct hd_heap_block b;
    if (!hd_heap_find(addr, &b) || !b.alloc)
        return 0;
    *thread = b.alloc_tid;
    *os_id = 0;
    size_t n = HD_MIN((size_t)b.alloc->n, size);
    hd_memcpy(trace, b.alloc->pc, n * sizeof *trace);
    return (int)n;
}

HD_EXPORT const char *__tsan_locate_address(u64 addr, char *name, size_t size, u64 *start,
                                            size_t *bytes);
HD_EXPORT const char *__tsan_locate_address(u64 addr, char *name, size_t size, u64 *start,
                                            size_t *bytes)
{
    struct hd_heap_block b;
    if (size)
        name[0] = 0;
    if (hd_heap_find(addr, &b)) {
        *start = b.start;
        *bytes = b.size;
        return "heap";
    }
    *start = *bytes = 0;
    return addr - hd_tls.stack_lo < hd_tls.stack_hi - hd_tls.stack_lo ? "stack" : "global";
}

/* ---- stack --------------------------------------------------------------------------- */

HD_EXPORT u64 __tsan_testonly_shadow_stack_current_size(void);
HD_EXPORT u64 __tsan_testonly_shadow_stack_current_size(void)
{
    return hd_tls.info ? hd_tls.info->depth : 0;
}

static size_t put_hex(char *to, u64 value)
{
    size_t n = 0;
    to[n++] = '0';
    to[n++] = 'x';
    int shift = 60;
    while (shift && !(value >> shift & 15))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        to[n++] = "0123456789abcdef"[value >> shift & 15];
    return n;
}

HD_EXPORT void __sanitizer_print_stack_trace(void);
HD_EXPORT void __sanitizer_print_stack_trace(void)
{
    u64 pc[HD_HEAP_FRAMES];
    u32 n = hd_caller_stack(pc, HD_HEAP_FRAMES, HD_SITE());
    for (u32 i = 0; i < n; i++) {
        char line[40] = "    ";
        size_t k = 4 + put_hex(line + 4, pc[i]);
        line[k++] = '\n';
        hd_sys(SYS_write, 2, line, k);
    }
}

/* The address is all we know here; names are the host's business. */
static void symbolize(u64 pc, char *out, size_t size)
{
    char text[24];
    size_t n = HD_MIN(put_hex(text, pc), size ? size - 1 : 0);
    hd_memcpy(out, text, n);
    if (size)
        out[n] = 0;
}

HD_EXPORT void __sanitizer_symbolize_pc(u64 pc, const char *format, char *out, size_t size);
HD_EXPORT void __sanitizer_symbolize_pc(u64 pc, const char *format, char *out, size_t size)
{
    symbolize(pc, out, size);
}

HD_EXPORT void __sanitizer_symbolize_global(u64 addr, const char *format, char *out, size_t size);
HD_EXPORT void __sanitizer_symbolize_global(u64 addr, const char *format, char *out, size_t size)
{
    symbolize(addr, out, size);
}

ZERO(__sanitizer_get_module_and_offset_for_pc)

/* ---- reports -------------------------------------------------------------------------- */

HD_EXPORT void __sanitizer_report_error_summary(const char *text);
HD_EXPORT void __sanitizer_report_error_summary(const char *text)
{
    hd_sys(SYS_write, 2, text, hd_strlen(text));
    hd_sys(SYS_write, 2, "\n", 1);
}

HD_EXPORT const char *__sanitizer_get_report_path(void);
HD_EXPORT const char *__sanitizer_get_report_path(void) { return ""; }

HD_EXPORT int __sanitizer_acquire_crash_state(void);
HD_EXPORT int __sanitizer_acquire_crash_state(void) { return 1; }

NOTHING(__sanitizer_set_report_path)
NOTHING(__sanitizer_set_report_fd)
NOTHING(__sanitizer_set_death_callback)
NOTHING(__sanitizer_sandbox_on_notify)
ZERO(__tsan_get_current_report)
ZERO(__tsan_get_report_data)
ZERO(__tsan_get_report_loc)
ZERO(__tsan_get_report_loc_object_type)
ZERO(__tsan_get_report_mop)
ZERO(__tsan_get_report_mutex)
ZERO(__tsan_get_report_stack)
ZERO(__tsan_get_report_tag)
ZERO(__tsan_get_report_thread)
ZERO(__tsan_get_report_unique_tid)

/* ---- unaligned accesses ----------------------------------------------------------------- */

#define UNALIGNED(bits)                                                                            \
    HD_EXPORT u##bits __sanitizer_unaligned_load##bits(const void *p);                             \
    HD_EXPORT u##bits __sanitizer_unaligned_load##bits(const void *p)                              \
    {                                                                                              \
        if (hd_on())                                                                               \
            hd_access(p, bits / 8, false, HD_SITE());                                              \
        u##bits value;                                                                             \
        __builtin_memcpy(&value, p, sizeof value);                                                 \
        return value;                                                                              \
    }                                                                                              \
    HD_EXPORT void __sanitizer_unaligned_store##bits(void *p, u##bits value);                      \
    HD_EXPORT void __sanitizer_unaligned_store##bits(void *p, u##bits value)                       \
    {                                                                                              \
        if (hd_on())                                                                               \
            hd_access(p, bits / 8, true, HD_SITE());                                               \
        __builtin_memcpy(p, &value, sizeof value);                                                 \
    }
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

/* ---- coverage counters (-fsanitize-coverage) ---------------------------------------------- */

NOTHING(__sanitizer_cov_8bit_counters_init)
NOTHING(__sanitizer_cov_bool_flag_init)
NOTHING(__sanitizer_cov_dump)
NOTHING(__sanitizer_cov_pcs_init)
NOTHING(__sanitizer_cov_reset)
NOTHING(__sanitizer_cov_trace_cmp)
NOTHING(__sanitizer_cov_trace_cmp1)
NOTHING(__sanitizer_cov_trace_cmp2)
NOTHING(__sanitizer_cov_trace_cmp4)
NOTHING(__sanitizer_cov_trace_cmp8)
NOTHING(__sanitizer_cov_trace_const_cmp1)
NOTHING(__sanitizer_cov_trace_const_cmp2)
NOTHING(__sanitizer_cov_trace_const_cmp4)
NOTHING(__sanitizer_cov_trace_const_cmp8)
NOTHING(__sanitizer_cov_trace_div4)
NOTHING(__sanitizer_cov_trace_div8)
NOTHING(__sanitizer_cov_trace_gep)
NOTHING(__sanitizer_cov_trace_pc_guard)
NOTHING(__sanitizer_cov_trace_pc_guard_init)
NOTHING(__sanitizer_cov_trace_pc_indir)
NOTHING(__sanitizer_cov_trace_switch)
NOTHING(__sanitizer_dump_coverage)
NOTHING(__sanitizer_dump_trace_pc_guard_coverage)
