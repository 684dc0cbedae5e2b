/* One result of a thread is lost when results are merged behind a long parallel loop
 * cause: no critical section around the sum
 * build: gcc -g -O1 -fsanitize=thread -fopenmp
 * expect: assert
 * warm: 200 parallel loops over 10000 cells
 */
#include <assert.h>
#ifndef WARM
#define WARM 200
#endif

enum { CELLS = 10000 };
static long cell[CELLS], merged;

int main(void)
{
    for (long r = 0; r < WARM; r++) {
#pragma omp parallel for num_threads(2)
        for (long i = 0; i < CELLS; i++)
            cell[i] += r;
    }
#pragma omp parallel num_threads(2)
    {
        long own = 0;
#pragma omp for
        for (long i = 0; i < CELLS; i++)
            own += cell[i] != 0;
        merged += own; /* BUG */
    }
    assert(merged == CELLS);
    return 0;
}
