/* barrier: a barrier parts what comes before from what comes after
 * pairs: a+c b+d
 */
#include "cfp.h"
static pthread_barrier_t all;
WORK(a)
WORK(b)
WORK(c)
WORK(d)
THREAD(one, a(); pthread_barrier_wait(&all); b();)
THREAD(two, c(); pthread_barrier_wait(&all); d();)
int main(void) { pthread_barrier_init(&all, 0, 2); start(one); start(two); join_all(); return 0; }
