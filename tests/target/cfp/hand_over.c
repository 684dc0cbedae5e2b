/* hand_over: a function that begins with a lock and ends without it
 * pairs: b+h
 */
#include "cfp.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
WORK(h, pthread_mutex_unlock(&m);)
WORK(b)
THREAD(one, pthread_mutex_lock(&m); h();)
THREAD(two, LOCKED(m, b();))
int main(void) { start(one); start(two); join_all(); return 0; }
