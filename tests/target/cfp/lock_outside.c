/* lock_outside: a lock held over calls that call
 * pairs: b+c c+inner c+outer
 */
#include "cfp.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
WORK(inner)
WORK(outer, inner();)
WORK(b)
WORK(c)
THREAD(one, LOCKED(m, outer();))
THREAD(two, LOCKED(m, b();))
THREAD(three, c();)
int main(void) { start(one); start(two); start(three); join_all(); return 0; }
