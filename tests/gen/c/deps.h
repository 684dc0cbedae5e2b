/* Which task waits for which; a circle is refused.
 * bug: deps_add looks for a circle under one lock and adds the edge under a second: two edges close one.
 * kind: result */
#ifndef DEPS_H
#define DEPS_H
#include <stdbool.h>

#define DEPS_TASKS 8

typedef struct deps deps_t;

typedef enum { DEPS_OK, DEPS_CIRCLE, DEPS_NO_TASK } deps_status;

deps_t *deps_create(void);
void deps_destroy(deps_t *d);
/* Task `task` waits for task `on`. */
deps_status deps_add(deps_t *d, unsigned task, unsigned on);
void deps_drop(deps_t *d, unsigned task, unsigned on);
/* Does `task` wait for `on`, be it through others? */
bool deps_waits(deps_t *d, unsigned task, unsigned on);
#endif
