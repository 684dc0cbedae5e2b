/* semaphore: logical time knows create, join and barrier, not semaphores
 * pairs: a+b
 */
#include "cfp.h"
static sem_t ready;
WORK(a)
WORK(b)
THREAD(one, a(); sem_post(&ready);)
THREAD(two, sem_wait(&ready); b();)
int main(void) { sem_init(&ready, 0, 0); start(one); start(two); join_all(); return 0; }
