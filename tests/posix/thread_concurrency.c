/* Concurrency level: a hint that is kept, EINVAL below 0
 * text:   setconcurrency has no effect but is read back; negative values are EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    IS(pthread_getconcurrency(), 0);
    OK(pthread_setconcurrency(3));
    IS(pthread_getconcurrency(), 3);
    IS(pthread_setconcurrency(-1), EINVAL);
    OK(pthread_setconcurrency(0));
    return 0;
}
