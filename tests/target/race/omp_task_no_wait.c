/* OpenMP: the value of a task is read without waiting for it
 * build:    gcc -g -O1 -fopenmp -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 * tsan:     T1-R2, the end of the region is in code without instrumentation
 */
#include <stdio.h>

static int value = 1;

int main(void)
{
    int seen = 0;
#pragma omp parallel num_threads(2) /* T1 */
#pragma omp single
    {
#pragma omp task
        value = 5; /* R1 */
        seen = value; /* R2 */
    }
    printf("%d\n", seen);
    return 0;
}
