/* saturate.c: saturation of a coverage curve, the stop rule of TSA (ISSTA 2012).
 *
 * Testing stops when the curve rises by less than a threshold over a sliding
 * window: 0.1 new elements per second over 120 seconds, the paper's numbers; the
 * same numbers count runs on the other axis. Slope: the least-squares line
 * through the staircase y(x), all moments of the window [a, b] with the same weight:
 *
 *   slope = 12 / L^3 * integral of (x - m) y(x),  L = b - a, m = (a + b) / 2
 *
 * a sum over the steps, whatever their number of runs. Deviation: the original
 * saturation work asks for the fit's r^2 too, which is no measure of flatness
 * (a perfectly straight rise has the best one); the slope alone decides.
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
    double length = now - from;
    for (u32 i = n; i--;) { /* the window is at the end */
        double a = HD_MAX(at(&p[i], axis), from), b = i + 1 < n ? at(&p[i + 1], axis) : now;
        b = HD_MIN(b, now);
        if (b <= from)
            break;
        if (a < b)
            sum += (double)p[i].covered *
                   ((b - middle) * (b - middle) - (a - middle) * (a - middle)) / 2;
    }
    s.slope = 12 * sum / (length * length * length);
    s.is_full = now - at(&p[0], axis) >= window;
    s.is_saturated = s.is_full && s.slope < threshold;
    return s;
}
