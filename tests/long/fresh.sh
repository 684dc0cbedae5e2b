#!/usr/bin/env bash
# A fresh Debian made by debootstrap, with git, make and sudo and nothing else: the commands of
# README.md, taken out of it as they stand, lead to a first finding in a program that is not
# Heddle's, after at most four of them. Then `make demo`, and the package, made there.
# Needs root and debootstrap; the mirror is the one apt uses here. About ten minutes.
set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/fresh.bash"
check "a fresh $VERSION_CODENAME" debootstrap --variant=minbase --include=git,make,sudo "$VERSION_CODENAME" "$fresh" "$mirror"
[ -x "$fresh/bin/sh" ] || finish
mount -t proc proc "$fresh/proc" 2>/dev/null || mount --rbind /proc "$fresh/proc" 2>/dev/null
cp /etc/apt/sources.list "$fresh/etc/apt/" 2>/dev/null
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/trusted.gpg.d "$fresh/etc/apt/" 2>/dev/null
cp /etc/resolv.conf "$fresh/etc/" 2>/dev/null
git -C "$ROOT" bundle create -q "$fresh/heddle.bundle" HEAD || exit 1
inside() { chroot "$fresh" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LANG=C.UTF-8 URL=/heddle.bundle bash -c "cd /root && $1"; }

# A program of one's own: two threads hand a number over without waiting for each other.
cat >"$fresh/root/prog.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int ready, value;
static void *give(void *arg)
{
    value = atoi(arg);
    ready = 1;
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, give, argc > 1 ? argv[1] : "args");
    if (ready && value == 0)
        printf("nothing came\n");
    value--;
    pthread_join(t, NULL);
    return value != atoi(argc > 1 ? argv[1] : "args");
}
C
commands=$(awk '/^```/ { if (on) exit; on = /^```sh$/; next } on { sub(/ +#.*/, ""); print }' "$ROOT/README.md")
count=0 found=0
while IFS= read -r command <&3; do
    count=$((count + 1))
    inside "$command" >"$work/log" 2>&1 </dev/null
    status=$?
    if [ $status = 0 ] || [ $status = 66 ]; then passed=$((passed + 1)); echo "ok - $command (status $status)"
    else failed=$((failed + 1)); echo "not ok - $command (status $status)"; tail -20 "$work/log" | sed 's/^/# /'; fi
    if [ $found = 0 ] && grep -q '^FINDING' "$work/log"; then
        found=$count
        grep -A1 '^FINDING' "$work/log" | sed 's/^/# /'
    fi
done 3<<<"$commands"
echo "commands until the first finding: $found"
check "at most four" test "$found" -ge 1 -a "$found" -le 4
check "make demo" inside 'cd heddle && make demo'
check "make deb" inside 'cd heddle && make deb'
check "nothing is left in the clone but build/" test -z "$(inside 'cd heddle && git status --porcelain --ignored | grep -v "build/"')"
finish
