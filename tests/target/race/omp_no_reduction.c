/* OpenMP: a sum without reduction
 * build:    gcc -g -O0 -fopenmp -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include <stdio.h>

static int sum;

int main(void)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; i++)
        sum += i; /* R1 */
    printf("%d\n", sum);
    return 0;
}
