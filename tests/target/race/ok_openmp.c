/* OpenMP: barriers inside libgomp order what the relaxed atomics of the program do not
 * build:    gcc -g -O2 -fopenmp -fsanitize=thread
 * args:
 * races:    none
 */
#include <assert.h>
#include <omp.h>

int main(void)
{
    int sum = 0, locked = 0, counted = 0, first = 0, second = 0, last = -1;
    omp_set_num_threads(3);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 6; i++)
        sum += i;
    assert(sum == 15);
#pragma omp parallel
    {
#pragma omp critical
        locked++;
#pragma omp atomic
        counted++;
#pragma omp barrier
#pragma omp single
        {
#pragma omp task shared(first) depend(out : first)
            first = 1;
#pragma omp task shared(first, second) depend(in : first) depend(out : second)
            second = first + 1;
#pragma omp taskwait
            assert(second == 2);
        }
#pragma omp for ordered
        for (int i = 0; i < 3; i++) {
#pragma omp ordered
            {
                assert(last == i - 1);
                last = i;
            }
        }
    }
    assert(locked == 3 && counted == 3);
    return 0;
}
