/* OpenMP: a sum without reduction
 * build:    gcc -g -O0 -fopenmp -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 * tsan:     R1-P, ordered by the end of the parallel loop, in a library that TSan does not see
 */
#include <stdio.h>

static int sum;

int main(void)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; i++)
        sum += i; /* R1 */
    printf("%d\n", sum); /* P */
    return 0;
}
