/* How much was measured, and between which bounds.
 * bug: meter_read takes the sum and the number of values at two times: an average that never was.
 * kind: result */
#ifndef METER_H
#define METER_H
struct meter_state {
    int least, most;
    double average;
};
typedef struct {
    _Alignas(8) char opaque[96];
} meter;
void meter_init(meter *m);
void meter_add(meter *m, int value);
struct meter_state meter_read(meter *m);
void meter_fini(meter *m);
#endif
