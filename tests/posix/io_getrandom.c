/* getrandom and getentropy: lengths and errors
 * text:   up to 256 bytes come whole; unknown flags are EINVAL; getentropy over 256 is EIO
 * expect: exit 0
 */
#include "check.h"
#include <sys/random.h>

int main(void)
{
    unsigned char a[300], b[300];
    IS(getrandom(a, 256, 0), 256);
    IS(getrandom(b, 256, GRND_NONBLOCK), 256);
    TRUE(memcmp(a, b, 256) != 0);
    IS(getrandom(a, 0, 0), 0);
    FAILS(getrandom(a, 16, 0x1234567), EINVAL);
    OK(getentropy(a, 256));
    FAILS(getentropy(a, 257), EIO);
    return 0;
}
