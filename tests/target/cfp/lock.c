/* lock: both functions are called with one lock held
 * pairs: 
 */
#include "cfp.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
WORK(a)
WORK(b)
THREAD(one, LOCKED(m, a();))
THREAD(two, LOCKED(m, b();))
int main(void) { start(one); start(two); join_all(); return 0; }
