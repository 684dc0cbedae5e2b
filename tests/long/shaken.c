/* shaken.c: linked in place of ThreadSanitizer's library: a program whose accesses take a random time
 * now and then, as on a machine under load. So a rare failure comes up by itself, without Heddle, and
 * leaves what a failure leaves: a message, or the stack of a crash. For tests/long/reproduce.sh. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static __thread unsigned seed;

static void shake(void)
{
    if (!seed && getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = 1;
    if (rand_r(&seed) % 16 == 0)
        usleep((unsigned)rand_r(&seed) % 400);
}

static void crashed(int signo)
{
    void *at[32];
    int n = backtrace(at, 32);
    for (int i = 2; i < n; i++) /* this function and the kernel's are none of it */
        dprintf(2, "#%d %p\n", i - 2, at[i]);
    dprintf(2, "Fatal signal: %s\n", signo == SIGSEGV ? "SIGSEGV" : signo == SIGBUS ? "SIGBUS" : "SIGFPE");
    signal(signo, SIG_DFL);
    raise(signo);
}

void __tsan_init(void)
{
    void *warm[1];
    backtrace(warm, 1);
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGFPE, crashed);
}
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}
#define ACCESS(name) void __tsan_##name(void *p) { (void)p; shake(); }
#define SIZES(kind) ACCESS(kind##1) ACCESS(kind##2) ACCESS(kind##4) ACCESS(kind##8) ACCESS(kind##16)
SIZES(read) SIZES(write) SIZES(unaligned_read) SIZES(unaligned_write) SIZES(volatile_read) SIZES(volatile_write)
ACCESS(vptr_read)
void __tsan_vptr_update(void **p, void *v) { (void)p, (void)v; shake(); }
void __tsan_read_range(void *p, unsigned long n) { (void)p, (void)n; shake(); }
void __tsan_write_range(void *p, unsigned long n) { (void)p, (void)n; shake(); }
void __tsan_atomic_thread_fence(int order) { (void)order; __sync_synchronize(); }
void __tsan_atomic_signal_fence(int order) { (void)order; }
#define FETCH(bits, T, name) \
    T __tsan_atomic##bits##_fetch_##name(volatile T *p, T v, int o) \
    { (void)o; shake(); return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST); }
#define ATOMIC(bits, T) \
    T __tsan_atomic##bits##_load(const volatile T *p, int o) \
    { (void)o; shake(); return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
    void __tsan_atomic##bits##_store(volatile T *p, T v, int o) \
    { (void)o; shake(); __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
    T __tsan_atomic##bits##_exchange(volatile T *p, T v, int o) \
    { (void)o; shake(); return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); } \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T *p, T *c, T v, int o, int f) \
    { (void)o, (void)f; shake(); return __atomic_compare_exchange_n(p, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T *p, T *c, T v, int o, int f) \
    { return __tsan_atomic##bits##_compare_exchange_strong(p, c, v, o, f); } \
    FETCH(bits, T, add) FETCH(bits, T, sub) FETCH(bits, T, and) FETCH(bits, T, or) FETCH(bits, T, xor) FETCH(bits, T, nand)
ATOMIC(8, unsigned char) ATOMIC(16, unsigned short) ATOMIC(32, unsigned) ATOMIC(64, unsigned long)
