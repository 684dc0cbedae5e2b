/* inner: a function and the one it calls
 * pairs: a+b b+inner
 */
#include "cfp.h"
WORK(inner)
WORK(a, inner();)
WORK(b)
THREAD(one, a();)
THREAD(two, b();)
int main(void) { start(one); start(two); join_all(); return 0; }
