/* lock_inside: a lock that is taken and given up inside parts nothing
 * pairs: a+b
 */
#include "cfp.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
WORK(a, LOCKED(m, data[0]++;))
WORK(b, LOCKED(m, data[0]++;))
THREAD(one, a();)
THREAD(two, b();)
int main(void) { start(one); start(two); join_all(); return 0; }
