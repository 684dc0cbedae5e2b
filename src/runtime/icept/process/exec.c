/* exec.c: other programs: the exec family, posix_spawn. */
#include "runtime/icept/process/process.h"

#include "runtime/icept/process/child.h"
#include "runtime/icept/io/transfer.h"

extern char **environ;

/* One exec: if it fails the program goes on, under control. */
#define EXEC(call)                                                                                 \
    do {                                                                                           \
        struct hd_child_call o;                                                                    \
        hd_child_call_begin(&o, "exec", HD_SITE());                                                \
        int r_ = (call);                                                                           \
        hd_child_call_end(&o);                                                                     \
        return r_;                                                                                 \
    } while (0)

HD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    if (!hd_on())
        return HD_REAL(execve)(path, argv, envp);
    EXEC(HD_REAL(execve)(path, argv, envp));
}

HD_EXPORT int execv(const char *path, char *const argv[])
{
    if (!hd_on())
        return HD_REAL(execve)(path, argv, environ);
    EXEC(HD_REAL(execve)(path, argv, environ));
}

HD_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    if (!hd_on())
        return HD_REAL(execvpe)(file, argv, envp);
    EXEC(HD_REAL(execvpe)(file, argv, envp));
}

HD_EXPORT int execvp(const char *file, char *const argv[])
{
    if (!hd_on())
        return HD_REAL(execvpe)(file, argv, environ);
    EXEC(HD_REAL(execvpe)(file, argv, environ));
}

HD_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    if (!hd_on())
        return HD_REAL(fexecve)(fd, argv, envp);
    EXEC(HD_REAL(fexecve)(fd, argv, envp));
}

HD_EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
    if (!HD_REAL(execveat))
        return (int)hd_fail(ENOSYS);
    if (!hd_on())
        return HD_REAL(execveat)(dir, path, argv, envp, flags);
    EXEC(HD_REAL(execveat)(dir, path, argv, envp, flags));
}

/* Arguments as a list, ended by NULL: counted, then collected on the stack. */
#define LIST_ARGS(argv, ap, first)                                                                 \
    va_start(ap, first);                                                                           \
    size_t n_ = 1;                                                                                 \
    while (va_arg(ap, char *))                                                                     \
        n_++;                                                                                      \
    va_end(ap);                                                                                    \
    char *argv[n_ + 1];                                                                            \
    argv[0] = (char *)first;                                                                       \
    va_start(ap, first);                                                                           \
    for (size_t i_ = 1; i_ <= n_; i_++)                                                            \
    argv[i_] = va_arg(ap, char *)

HD_EXPORT int execl(const char *path, const char *arg, ...)
{
    va_list ap;
    LIST_ARGS(argv, ap, arg);
    va_end(ap);
    if (!hd_on())
        return HD_REAL(execve)(path, argv, environ);
    EXEC(HD_REAL(execve)(path, argv, environ));
}

HD_EXPORT int execlp(const char *file, const char *arg, ...)
{
    va_list ap;
    LIST_ARGS(argv, ap, arg);
    va_end(ap);
    if (!hd_on())
        return HD_REAL(execvpe)(file, argv, environ);
    EXEC(HD_REAL(execvpe)(file, argv, environ));
}

HD_EXPORT int execle(const char *path, const char *arg, ...)
{
    va_list ap;
    LIST_ARGS(argv, ap, arg);
    char *const *envp = va_arg(ap, char *const *);
    va_end(ap);
    if (!hd_on())
        return HD_REAL(execve)(path, argv, envp);
    EXEC(HD_REAL(execve)(path, argv, envp));
}

HD_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    if (!hd_on())
        return HD_REAL(posix_spawn)(pid, path, actions, attr, argv, envp);
    struct hd_child_call o;
    hd_child_call_begin(&o, "posix_spawn", HD_SITE());
    pid_t own = -1;
    int err = HD_REAL(posix_spawn)(&own, path, actions, attr, argv, envp);
    hd_child_call_end(&o);
    if (!err)
        hd_child_made(own);
    if (!err && pid)
        *pid = own;
    return err;
}

HD_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    if (!hd_on())
        return HD_REAL(posix_spawnp)(pid, file, actions, attr, argv, envp);
    struct hd_child_call o;
    hd_child_call_begin(&o, "posix_spawnp", HD_SITE());
    pid_t own = -1;
    int err = HD_REAL(posix_spawnp)(&own, file, actions, attr, argv, envp);
    hd_child_call_end(&o);
    if (!err)
        hd_child_made(own);
    if (!err && pid)
        *pid = own;
    return err;
}
