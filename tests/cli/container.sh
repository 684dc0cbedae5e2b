#!/usr/bin/env bash
# Where Heddle is not alone in command of the machine: a seccomp filter that forbids
# personality() (as docker's does), an ordinary user without a home, a user namespace, a
# read-only root.
. "$(dirname "$0")/lib.bash"
racy_c
correct_c

cat >forbid.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog p = {sizeof f / sizeof *f, f};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
        return 125;
    execvp(argv[1], argv + 1);
    return 126;
}
END
gcc forbid.c -o forbid || exit 1
inside() { # heddle under the filter
    timeout 120 ./forbid "$HEDDLE" "$@" >out 2>err
    rc=$?
}
if ./forbid true; then
    inside test --seed 1 -- ./racy
    expect 66 "a bug is found with random addresses" "same failure every time.*personality"
    cp .heddle/findings/latest/replay.heddle random.heddle
    for i in 1 2 3; do
        inside replay --times 3 random.heddle
        expect 66 "replayed, start $i" "failed as recorded, 3 of 3"
    done
    heddle replay --times 3 random.heddle
    expect 66 "replayed with fixed addresses" "failed as recorded, 3 of 3"
    inside minimize random.heddle
    expect 66 "minimized"
    inside test --runs 50 -- ./correct
    expect 0 "a correct program"
    heddle test --seed 1 --dir fixed -- ./racy
    expect 66 "found with fixed addresses"
    inside replay fixed/findings/latest/replay.heddle
    expect 98 "what was recorded with fixed addresses says what to allow" "personality.* is forbidden: allow it"
    inside test --runs 30 --seed 3 --coverage all --dir again -- ./correct
    inside test --runs 30 --seed 3 --coverage all --dir again -- ./correct
    expect 0 "what was covered is known again" "hapset [0-9]+[,;]"
else
    echo "# skipped: this kernel has no seccomp filters"
fi

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir own && cp racy own/ && chmod 755 . && chown -R 65534:65534 own
    as_user() { (cd own && env -i HOME=/nonexistent PATH="$PATH" setpriv --reuid 65534 --regid 65534 \
        --clear-groups timeout 120 "$HEDDLE" "$@") >out 2>err; rc=$?; }
    if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$HEDDLE"; then
        as_user test --seed 1 -- ./racy
        expect 66 "an ordinary user without a home" "same failure every time"
        as_user replay --times 3 .heddle/findings/latest/replay.heddle
        expect 66 "... replays" "failed as recorded, 3 of 3"
    fi
fi
if unshare -Ur true 2>/dev/null; then
    (timeout 120 unshare -Ur "$HEDDLE" test --seed 1 --dir userns -- ./racy) >out 2>err
    rc=$?
    expect 66 "a user namespace" "same failure every time"
    heddle replay --times 3 userns/findings/latest/replay.heddle
    expect 66 "... replayed outside" "failed as recorded, 3 of 3"
else
    echo "# skipped: user namespaces are not permitted"
fi
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    cat >readonly.sh <<'END'
mount --make-rprivate / && mount -t tmpfs none "$1" && cp "$2" "$1/" || exit 125
mount -o remount,bind,ro / || exit 125
cd "$1" && touch /tmp/heddle-readonly-check 2>/dev/null && exit 125
exec timeout 120 "$3" test --seed 1 -- ./racy
END
    mkdir mnt
    unshare -m sh readonly.sh "$PWD/mnt" "$PWD/racy" "$HEDDLE" >out 2>err
    rc=$?
    if [ $rc = 125 ]; then
        echo "# skipped: the root cannot be made read-only here"
    else
        expect 66 "a read-only root" "same failure every time"
    fi
fi
finish
