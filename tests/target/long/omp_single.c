/* Threads use the scale before the one that computes it has done so, after a long loop
 * cause: nowait on the construct whose result all of them need
 * build: gcc -g -O1 -fsanitize=thread -fopenmp
 * expect: assert
 * warm: 12000 passes of a parallel loop with atomic updates
 */
#include <assert.h>
#include <omp.h>
#ifndef WARM
#define WARM 12000
#endif

static long histogram[8], scale, bad;

int main(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for
        for (long i = 0; i < 3 * WARM; i++) {
#pragma omp atomic
            histogram[i % 8]++;
        }
#pragma omp single nowait
        {
            long sum = 0;
            for (int i = 0; i < 8; i++)
                sum += histogram[i];
#pragma omp atomic write
            scale = sum;
        }
        long s; /* BUG */
#pragma omp atomic read
        s = scale;
        if (!s) {
#pragma omp atomic
            bad++;
        }
    }
    assert(!bad);
    return 0;
}
