/* key.h: thread-specific data; see key.c. */
#ifndef HD_KEY_H
#define HD_KEY_H

#include "runtime/core/rt.h"

void hd_key_init(void);
/* The calling thread will run hd_key_thread_end when it ends, after the
 * destructors of C++ thread_local objects. */
void hd_key_thread_begin(void);

#endif
