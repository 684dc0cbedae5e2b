#!/bin/bash
# symbols.sh RUNTIME: the names our runtime (a built libtsan.so.2) exports and uses.
#
# A program linked with libtsan names everything libtsan exports without a
# symbol version. So what exists in several versions in glibc must be exported
# by us, or the loader binds the oldest; and what exists nowhere else must be
# exported by us, or the program does not start.
set -u
ours=${1:?usage: symbols.sh libtsan.so.2}
export LC_ALL=C
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

defined() { # names without version
    nm -D --defined-only "$1" | awk '{print $NF}' | sed 's/@.*//'
}
library() { # path of a shared library as the compiler finds it
    local p
    p=$("${CC:-gcc}" -print-file-name="$1")
    [ -e "$p" ] && readlink -f "$p"
}
complain() { # what, file with names
    [ -s "$2" ] || return
    echo "FAIL: $1:"
    sed 's/^/    /' "$2"
    failed=1
}

tsan=$(library libtsan.so) || { echo "FAIL: there is no libtsan to compare with"; exit 1; }
defined "$ours" | sort -u > "$work/ours"
defined "$tsan" | sort -u > "$work/tsan"
: > "$work/several"
: > "$work/elsewhere"
for name in libc.so.6 libm.so.6 libcrypt.so.1 libstdc++.so.6 ld-linux-x86-64.so.2; do
    lib=$(library "$name") || continue
    defined "$lib" | sort | uniq -d >> "$work/several"
    defined "$lib" >> "$work/elsewhere"
done
sort -u -o "$work/several" "$work/several"
sort -u -o "$work/elsewhere" "$work/elsewhere"
grep -qx pthread_cond_wait "$work/several" ||
    { echo "FAIL: no versions seen in libc: cannot judge"; exit 1; }

comm -12 "$work/tsan" "$work/several" | comm -23 - "$work/ours" > "$work/out"
complain "several versions in glibc, exported by libtsan, not by us" "$work/out"

# Not for programs to call: libtsan's inner names, hooks a program may define,
# and entries that no compiler refers to.
cat > "$work/inner" <<'END'
^__interceptor_
^___interceptor_
^__asan_
^__sanitizer_syscall_
^__sanitizer_weak_hook_
^__sanitizer_(malloc|free)_hook$
^__sanitizer_on_print$
^__sancov_
^__tsan_default_(options|suppressions)$
^__tsan_(on_report|symbolize_external(_ex)?)$
^_ZN6__tsan
^__isoc99_v?(f|s|sn)?printf$
^sigsetjmp$
^xdr_destroy$
END
comm -23 "$work/tsan" "$work/elsewhere" | grep -Ev -f "$work/inner" |
    comm -23 - "$work/ours" > "$work/out"
complain "only libtsan has it, and we do not export it" "$work/out"

# What the runtime may ask of libc. It runs inside the program, where libc's
# functions lead back into our own interceptors: resolving names, a few things
# that have no other way, and nothing that allocates or prints.
cat > "$work/allowed" <<'END'
__chk_fail
__cxa_atexit
__cxa_at_quick_exit
__environ
__errno_location
__isoc99_vfscanf
__register_atfork
__tls_get_addr
_exit
dl_iterate_phdr
dladdr
dlsym
dlvsym
getauxval
environ
fclose
fdopen
fopencookie
pthread_attr_getdetachstate
pthread_attr_getinheritsched
pthread_attr_getschedparam
pthread_attr_getschedpolicy
pthread_attr_init
pthread_attr_setdetachstate
pthread_attr_setguardsize
pthread_attr_setinheritsched
pthread_attr_setschedparam
pthread_attr_setschedpolicy
pthread_attr_setstacksize
pthread_self
stderr
stdin
stdout
vfscanf
END
nm -D --undefined-only "$ours" | awk '$1 != "w" {print $NF}' | sed 's/@.*//' | sort -u |
    grep -vx -F -f "$work/allowed" > "$work/out"
complain "used from libc without leave" "$work/out"

[ $failed = 0 ] && echo "ok: $(wc -l < "$work/ours") names exported"
exit $failed
