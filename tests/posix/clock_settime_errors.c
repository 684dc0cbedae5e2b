/* clock_settime: EINVAL for clocks that cannot be set and bad times
 * text:   CLOCK_MONOTONIC cannot be set; nanoseconds out of range are EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    struct timespec t, bad = {1, 1000000000}, low = {1, -1};
    OK(clock_gettime(CLOCK_MONOTONIC, &t));
    FAILS(clock_settime(CLOCK_MONOTONIC, &t), EINVAL);
    FAILS(clock_settime(12345, &t), EINVAL);
    FAILS(clock_settime(CLOCK_REALTIME, &bad), EINVAL);
    FAILS(clock_settime(CLOCK_REALTIME, &low), EINVAL);
    return 0;
}
