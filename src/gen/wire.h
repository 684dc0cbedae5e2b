/* wire.h: what goes between `heddle gen` and the driver it generated: a file that both map.
 * The definitions are also put into the driver's text, so they are a macro.
 *
 *   tests    by the host: up to HD_WIRE_BATCH tests, one per run
 *   results  by the driver: `next` counts runs; the host checks whatever it reads
 */
#ifndef HD_GEN_WIRE_H
#define HD_GEN_WIRE_H

#include <stdint.h>

#define HD_WIRE_CALLS 32
#define HD_WIRE_BATCH 64
#define HD_WIRE_ARGS 5
#define HD_WIRE_VALUES 6
#define HD_WIRE_TEXT 32
#define HD_WIRE_BEFORE 0  /* `thread` of a call: main, before threads are made */
#define HD_WIRE_AFTER 255 /* ... after they were joined */

/* obj: two bits per object parameter: 0, 1 the objects that main made, 2 what this thread got
 * from a call, 3 what main got from one. follow: tests that come after this one in the same
 * process, each with objects of its own: orders of one test. */
#define HD_WIRE_STRUCTS                                                                            \
    struct hd_wire_call {                                                                          \
        uint8_t op, thread, obj, arg[5];                                                           \
    };                                                                                             \
    struct hd_wire_test {                                                                          \
        uint8_t n, threads, is_sequential, n_order, follow, order[32];                             \
        struct hd_wire_call call[32];                                                              \
    };                                                                                             \
    struct hd_wire_value {                                                                         \
        uint32_t begin, end;                                                                       \
        uint8_t n, is_skipped, kind[6];                                                            \
        uint64_t v[6];                                                                             \
        char text[32];                                                                             \
    };                                                                                             \
    struct hd_wire_result {                                                                        \
        uint32_t is_over, callbacks;                                                               \
        struct hd_wire_value call[32];                                                             \
    };                                                                                             \
    struct hd_wire_tests {                                                                         \
        struct hd_wire_test test[64];                                                              \
    };                                                                                             \
    struct hd_wire_results {                                                                       \
        uint64_t mark;                                                                             \
        uint32_t next, reserved;                                                                   \
        struct hd_wire_result result[64];                                                          \
    };
HD_WIRE_STRUCTS

#define HD_WIRE_TESTS_BYTES ((sizeof(struct hd_wire_tests) + 4095) & ~(size_t)4095)
#define HD_WIRE_BYTES                                                                              \
    (HD_WIRE_TESTS_BYTES + ((sizeof(struct hd_wire_results) + 4095) & ~(size_t)4095))

#endif
