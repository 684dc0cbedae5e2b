/* readers: readers run at the same time, a writer with nobody
 * pairs: a+b
 */
#include "cfp.h"
static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
WORK(a)
WORK(b)
WORK(c)
THREAD(one, pthread_rwlock_rdlock(&m); a(); pthread_rwlock_unlock(&m);)
THREAD(two, pthread_rwlock_rdlock(&m); b(); pthread_rwlock_unlock(&m);)
THREAD(three, pthread_rwlock_wrlock(&m); c(); pthread_rwlock_unlock(&m);)
int main(void) { start(one); start(two); start(three); join_all(); return 0; }
