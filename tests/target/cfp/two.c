/* two: two threads, a function each
 * pairs: a+b
 */
#include "cfp.h"
WORK(a)
WORK(b)
THREAD(one, a();)
THREAD(two, b();)
int main(void) { start(one); start(two); join_all(); return 0; }
