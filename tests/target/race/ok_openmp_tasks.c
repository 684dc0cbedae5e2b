/* OpenMP: tasks with dependences, taskwait, a reduction, a critical section and single
 * build:    gcc -g -O1 -fopenmp -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdio.h>

static int a, b, c, sum, worst, once;

int main(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
            once = 1;
#pragma omp task depend(out : a)
            a = 3;
#pragma omp task depend(out : b)
            b = 4;
#pragma omp task depend(in : a, b)
            c = a * b;
#pragma omp taskwait
            c++;
        }
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 8; i++)
            sum += i + once;
#pragma omp for
        for (int i = 0; i < 6; i++)
#pragma omp critical
            if (i > worst)
                worst = i;
    }
    return c != 13 || sum != 36 || worst != 5;
}
