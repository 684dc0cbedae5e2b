/* three: three threads
 * pairs: a+b a+c b+c
 */
#include "cfp.h"
WORK(a)
WORK(b)
WORK(c)
THREAD(one, a();)
THREAD(two, b();)
THREAD(three, c();)
int main(void) { start(one); start(two); start(three); join_all(); return 0; }
