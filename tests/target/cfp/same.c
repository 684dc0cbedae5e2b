/* same: two threads in one function
 * pairs: a+a
 */
#include "cfp.h"
WORK(a)
THREAD(one, a();)
int main(void) { start(one); start(one); join_all(); return 0; }
