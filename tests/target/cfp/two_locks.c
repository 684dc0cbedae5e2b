/* two_locks: locks that differ do not part them
 * pairs: a+b
 */
#include "cfp.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
WORK(a)
WORK(b)
THREAD(one, LOCKED(m, a();))
THREAD(two, LOCKED(n, b();))
int main(void) { start(one); start(two); join_all(); return 0; }
