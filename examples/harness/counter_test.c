/* counter_test.c: a correct counter: nothing is found. */
#include <heddle/heddle.h>
#include <stdatomic.h>

HEDDLE_OBJECT(atomic_int *n, calloc(1, sizeof *n), free(n));
HEDDLE_OP(add, int, (int by), atomic_fetch_add(n, by));
HEDDLE_OP(get, int, (), atomic_load(n));
HEDDLE_LINEARIZABLE();
