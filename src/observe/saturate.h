/* saturate.h: when a coverage curve has become flat. */
#ifndef HD_SATURATE_H
#define HD_SATURATE_H

#include "base/base.h"

/* A curve is a staircase: `covered` holds from this point to the next. */
struct hd_curve_point {
    double run;     /* runs done */
    double seconds;
    u64 covered;
};

enum hd_axis { HD_BY_RUNS, HD_BY_TIME };

/* Zeroes = the defaults below. */
struct hd_saturate {
    double window;    /* runs or seconds looked back */
    double threshold; /* new elements per run or second */
};
#define HD_SATURATE_WINDOW 120.0
#define HD_SATURATE_THRESHOLD 0.1

struct hd_saturation {
    double slope;      /* over the window, as far as it is filled */
    double r2;         /* of that line; 0 = the curve is flat */
    bool is_full;      /* the curve is at least a window long */
    bool is_saturated; /* is_full and slope < threshold */
};

/* State of the curve at `now` on that axis. n may be 0. */
struct hd_saturation hd_saturate(const struct hd_curve_point *p, u32 n, enum hd_axis axis,
                                 double now, const struct hd_saturate *how);

#endif
