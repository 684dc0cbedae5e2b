/* What source lines call locks and conditions: by known calls only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report/explain/model.h"

static const char *of(u8 kind, const char *text)
{
    static char buf[80];
    return hd_expression(text, kind, buf, sizeof buf) ? buf : "";
}

static void test_posix(void **state)
{
    assert_string_equal(of(HD_EV_LOCK, "pthread_mutex_lock(&q->m);"), "q->m");
    assert_string_equal(of(HD_EV_LOCK, "if (pthread_mutex_trylock(&t[f(1, 2)].lock))"),
                        "t[f(1, 2)].lock");
    assert_string_equal(of(HD_EV_COND_WAIT, "pthread_cond_wait(&q->full, &q->m);"), "q->full");
    assert_string_equal(of(HD_EV_UNLOCK, "pthread_cond_wait(&q->full, &q->m);"), "q->m");
    assert_string_equal(of(HD_EV_SEM_WAIT, "while (sem_wait(s)) ;"), "s");
    assert_string_equal(of(HD_EV_RDLOCK, "pthread_rwlock_rdlock(&l)"), "l");
}

static void test_cxx(void **state)
{
    assert_string_equal(of(HD_EV_COND_WAIT, "opened_.wait(lk, [this] { return is_open_; });"),
                        "opened_");
    assert_string_equal(of(HD_EV_UNLOCK, "opened_.wait(lk);"), "");
    assert_string_equal(of(HD_EV_COND_SIGNAL, "q->filled.notify_one();"), "q->filled");
    assert_string_equal(of(HD_EV_COND_BROADCAST, "pool::instance().all->notify_all();"), "");
    assert_string_equal(of(HD_EV_LOCK, "std::lock_guard<std::mutex> a(from.lock);"), "from.lock");
    assert_string_equal(of(HD_EV_LOCK, "std::unique_lock lk{mutex_};"), "mutex_");
    assert_string_equal(of(HD_EV_WRLOCK, "std::unique_lock<std::shared_mutex> w(table);"), "table");
    assert_string_equal(of(HD_EV_LOCK, "std::scoped_lock both(a, b);"), "");
}

static void test_not_known(void **state)
{
    assert_string_equal(of(HD_EV_FUTEX_WAIT, "syscall(SYS_futex, &word, FUTEX_WAIT, 1);"), "");
    assert_string_equal(of(HD_EV_LOCK, "LOCK(q);"), "");
    assert_string_equal(of(HD_EV_COND_WAIT, "void push(T v) { lock(v); }"), "");
    assert_string_equal(of(HD_EV_LOCK, "pthread_mutex_lock("), "");
    assert_string_equal(of(HD_EV_LOCK, ""), "");
    assert_string_equal(of(HD_EV_COND_WAIT, ".wait(x)"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_posix), cmocka_unit_test(test_cxx), cmocka_unit_test(test_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
