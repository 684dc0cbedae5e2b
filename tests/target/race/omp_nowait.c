/* OpenMP: nowait between two loops of which the second needs the first
 * build:    gcc -g -O1 -fopenmp -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 * tsan:     R2-T1, the barrier at the end of the region is in code without instrumentation
 */
#include <omp.h>
#include <stdio.h>
int a[4], b[4];
int main(void)
{
    omp_set_num_threads(2);
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 4; i++)
            a[i] = i + 1; /* R1 */
#pragma omp for schedule(static)
        for (int i = 0; i < 4; i++)
            b[i] = a[3 - i]; /* R2 */
    }
    printf("%d %d %d %d\n", b[0], b[1], b[2], b[3]); /* T1 */
    return 0;
}
