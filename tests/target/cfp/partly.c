/* partly: one of two functions is called with the lock held
 * pairs: b+c
 */
#include "cfp.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
WORK(a)
WORK(b)
WORK(c)
THREAD(one, LOCKED(m, a();) b();)
THREAD(two, LOCKED(m, c();))
int main(void) { start(one); start(two); join_all(); return 0; }
