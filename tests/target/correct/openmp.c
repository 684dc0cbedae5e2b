/* Loops, barriers and critical sections of OpenMP
 * cause:    none: the sum is a reduction, the rest is critical
 * build:    gcc -g -O1 -fsanitize=thread -fopenmp
 * args:
 * expect:   none
 * races:    none
 * filter:   skip, the library synchronizes by system calls that Heddle does not control
 * tsan:     skip, it does not see the synchronization inside libgomp
 */
#include <assert.h>
#include <omp.h>

int main(void)
{
    int n = 0, phase[3] = {0};
    long sum = 0;
    omp_set_num_threads(3);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 30; i++)
        sum += i;
#pragma omp parallel
    {
        phase[omp_get_thread_num()] = 1;
#pragma omp barrier
        for (int i = 0; i < omp_get_num_threads(); i++)
            if (!phase[i])
                __builtin_trap();
#pragma omp critical
        n++;
    }
    assert(sum == 435 && n >= 1 && n <= 3);
    return 0;
}
