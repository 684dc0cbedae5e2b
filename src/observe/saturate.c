/* saturate.c: saturation of a coverage curve, the stop rule of TSA (ISSTA 2012).
 *
 * Testing stops when the curve rises by less than a threshold over a sliding
 * window: 0.1 new elements per second over 120 seconds, the paper's numbers; the
 * same numbers count runs on the other axis. Slope: the least-squares line
 * through the staircase y(x), all moments of the window [a, b] with the same weight:
 *
 *   slope = 12 / L^3 * integral of (x - m) y(x),  L = b - a, m = (a + b) / 2
 *
 * a sum over the steps, whatever their number of runs. The fit's r^2, which the original
 * saturation work asks for, is reported beside it: what the line explains of the curve's
 * variance. It does not decide: a perfectly straight rise has the best one.
 */
#include "observe/saturate.h"

static double at(const struct hd_curve_point *p, enum hd_axis axis)
{
    return axis == HD_BY_RUNS ? p->run : p->seconds;
}

struct hd_saturation hd_saturate(const struct hd_curve_point *p, u32 n, enum hd_axis axis,
                                 double now, const struct hd_saturate *how)
{
    double window = how && how->window > 0 ? how->window : HD_SATURATE_WINDOW;
    double threshold = how && how->threshold > 0 ? how->threshold : HD_SATURATE_THRESHOLD;
    struct hd_saturation s = {0};
    if (!n || now <= at(&p[0], axis))
        return s;
    double from = HD_MAX(now - window, at(&p[0], axis)), middle = (from + now) / 2, sum = 0;
    double length = now - from, area = 0, squares = 0; /* of y above its last value */
    double last = (double)p[n - 1].covered;
    for (u32 i = n; i--;) { /* the window is at the end */
        double a = HD_MAX(at(&p[i], axis), from), b = i + 1 < n ? at(&p[i + 1], axis) : now;
        b = HD_MIN(b, now);
        if (b <= from)
            break;
        if (a >= b)
            continue;
        double y = (double)p[i].covered - last;
        sum += y * ((b - middle) * (b - middle) - (a - middle) * (a - middle)) / 2;
        area += y * (b - a);
        squares += y * y * (b - a);
    }
    double variance = squares / length - area / length * (area / length);
    s.slope = 12 * sum / (length * length * length);
    s.r2 = variance > 0 ? HD_MIN(s.slope * s.slope * length * length / 12 / variance, 1.0) : 0;
    s.is_full = now - at(&p[0], axis) >= window;
    s.is_saturated = s.is_full && s.slope < threshold;
    return s;
}
