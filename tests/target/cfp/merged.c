/* merged: a tiny function is part of its caller, one without accesses is left out
 * pairs: a+b
 */
#include "cfp.h"
static int count;
static __attribute__((noinline)) void tiny(void) { count++; }
static __attribute__((noinline)) int nothing(int n) { return n * 3; }
WORK(a, tiny(); tiny();)
WORK(b, data[0] += nothing(data[1]);)
THREAD(one, a();)
THREAD(two, b();)
int main(void) { start(one); start(two); join_all(); return 0; }
