/* join_first: the second thread begins when the first has ended
 * pairs: 
 */
#include "cfp.h"
WORK(a)
WORK(b)
THREAD(one, a();)
THREAD(two, b();)
int main(void) { start(one); join_all(); start(two); join_all(); return 0; }
