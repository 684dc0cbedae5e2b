/* expression.c: what a source line calls the lock or condition it uses.
 *
 * Only calls whose meaning is known are read: POSIX and C11 functions by their
 * argument, members of the C++ library by what stands before the dot, guards by
 * their one argument. Macros and functions of the program may pass anything in any
 * order: no name is better than a wrong one.
 */
#include "report/explain/model.h"

#include <ctype.h>
#include <string.h>

struct known {
    u8 first, last;     /* kinds of events */
    int argument;       /* of the function that is the object; -1: what the member belongs to */
    const char *names;  /* each between blanks */
};

static const struct known known[] = {
    {HD_EV_MUTEX_INIT, HD_EV_CONSISTENT, 0,
     " pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock "
     "pthread_mutex_timedlock pthread_mutex_clocklock pthread_mutex_unlock pthread_mutex_consistent "
     "pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock "
     "pthread_spin_unlock mtx_init mtx_destroy mtx_lock mtx_trylock mtx_timedlock mtx_unlock "},
    {HD_EV_MUTEX_INIT, HD_EV_CONSISTENT, 1,
     " pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait cnd_timedwait "},
    {HD_EV_RW_INIT, HD_EV_RW_UNLOCK, 0,
     " pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_wrlock "
     "pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_timedrdlock "
     "pthread_rwlock_timedwrlock pthread_rwlock_unlock "},
    {HD_EV_COND_INIT, HD_EV_COND_BROADCAST, 0,
     " pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait "
     "pthread_cond_clockwait pthread_cond_signal pthread_cond_broadcast cnd_init cnd_destroy "
     "cnd_wait cnd_timedwait cnd_signal cnd_broadcast "},
    {HD_EV_BARRIER_INIT, HD_EV_BARRIER_LEAVE, 0,
     " pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait "},
    {HD_EV_SEM_INIT, HD_EV_SEM_GETVALUE, 0,
     " sem_init sem_destroy sem_wait sem_trywait sem_timedwait sem_clockwait sem_post "
     "sem_getvalue "},
    {HD_EV_COND_WAIT, HD_EV_COND_BROADCAST, -1, " wait wait_for wait_until notify_one notify_all "},
    {HD_EV_MUTEX_INIT, HD_EV_RW_UNLOCK, 0, " lock_guard unique_lock scoped_lock shared_lock "},
};

static bool is_word(char c)
{
    return isalnum((u8)c) || c == '_';
}

static bool has_name(const char *names, const char *word, size_t n)
{
    for (const char *p = names; (p = strchr(p, ' ')) && p[1]; p++)
        if (!strncmp(p + 1, word, n) && p[1 + n] == ' ')
            return true;
    return false;
}

/* The argument of that number after the bracket at `open`, `n` bytes. With `is_only` it
 * must be the only one. */
static const char *argument(const char *open, int number, bool is_only, size_t *n)
{
    char close = *open == '{' ? '}' : ')';
    const char *from = open + 1, *p = from;
    int depth = 0, at = 0;
    for (; *p && (depth || *p != close); p++) {
        depth += (*p == '(' || *p == '[' || *p == '{') - (*p == ')' || *p == ']' || *p == '}');
        if (depth || *p != ',')
            continue;
        if (is_only)
            return NULL;
        if (at++ == number)
            break;
        from = p + 1;
    }
    if (!*p || at + (*p == close) <= number)
        return NULL;
    while (*from == ' ' || *from == '&')
        from++;
    *n = (size_t)(p - from);
    return from;
}

/* What stands before ".wait" or "->wait" at `word`. */
static const char *receiver(const char *text, const char *word, size_t *n)
{
    const char *end = word;
    if (end > text && end[-1] == '.')
        end--;
    else if (end > text + 1 && !strncmp(end - 2, "->", 2))
        end -= 2;
    else
        return NULL;
    const char *from = end;
    while (from > text && (is_word(from[-1]) || strchr(".:[]", from[-1]) ||
                           (from > text + 1 && !strncmp(from - 2, "->", 2)) ||
                           (from[-1] == '-' && *from == '>')))
        from--;
    *n = (size_t)(end - from);
    return from;
}

/* Where the arguments of the guard named at `word` begin: "lock_guard<T> name(". */
static const char *guard_arguments(const char *p)
{
    int depth = 0;
    for (; *p && *p != ';'; p++) {
        depth += (*p == '<') - (*p == '>');
        if (depth == 0 && (*p == '(' || *p == '{'))
            return p;
    }
    return NULL;
}

static const char *read_call(const struct known *k, const char *text, const char *word, size_t len,
                             size_t *n)
{
    const char *open = word + len;
    bool is_guard = strstr(k->names, " lock_guard ");
    while (*open == ' ')
        open++;
    if (is_guard) {
        open = guard_arguments(word + len);
        return open ? argument(open, 0, true, n) : NULL;
    }
    if (*open != '(')
        return NULL;
    return k->argument < 0 ? receiver(text, word, n) : argument(open, k->argument, false, n);
}

bool hd_expression(const char *text, u8 kind, char *buf, size_t size)
{
    for (const char *p = text; *p;) {
        if (!is_word(*p)) {
            p++;
            continue;
        }
        size_t len = 0, n = 0;
        while (is_word(p[len]))
            len++;
        for (size_t i = 0; i < HD_COUNT(known); i++) {
            if (kind < known[i].first || kind > known[i].last || !has_name(known[i].names, p, len))
                continue;
            const char *from = read_call(&known[i], text, p, len, &n);
            if (!from || !n || n > 60 || n >= size || !(is_word(*from) || *from == '(' || *from == '*'))
                continue;
            snprintf(buf, size, "%.*s", (int)n, from);
            return true;
        }
        p += len;
    }
    return false;
}
