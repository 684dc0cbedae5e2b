#!/usr/bin/env bash
# The Debian package, installed into a fresh Debian made by debootstrap: man pages, completion, a
# first finding there, and examples/cmake with GoogleTest and Catch2: ctest fails exactly the racy
# tests. Needs root and debootstrap; the mirror is the one apt uses here.
set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$ROOT/build}
. "$(dirname "${BASH_SOURCE[0]}")/fresh.bash"
check "the package is made" make -C "$ROOT" deb BUILD="$BUILD" JOBS=2
deb=$(ls "$BUILD"/heddle_*.deb | head -n 1)
check "a fresh $VERSION_CODENAME" debootstrap --variant=minbase --include=gcc,libc6-dev,libtsan2,man-db,bash-completion "$VERSION_CODENAME" "$fresh" "$mirror"
[ -x "$fresh/bin/sh" ] || finish
mount -t proc proc "$fresh/proc" 2>/dev/null || mount --rbind /proc "$fresh/proc" 2>/dev/null
cp "$deb" "$fresh/heddle.deb"
cp "$ROOT/examples/bank.c" "$fresh/root/"
cp /etc/apt/sources.list "$fresh/etc/apt/" 2>/dev/null
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/trusted.gpg.d "$fresh/etc/apt/" 2>/dev/null
cp /etc/resolv.conf "$fresh/etc/" 2>/dev/null
inside() { chroot "$fresh" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -c "$1"; }
# minbase leaves documentation out
inside 'rm -f /etc/dpkg/dpkg.cfg.d/*; apt-get update -q' >/dev/null 2>&1
check "it installs" inside 'DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends /heddle.deb'
check "heddle --version" inside 'heddle --version'
check "man heddle-test" inside 'man heddle-test | col -b 2>/dev/null | grep -q "heddle-test - " || man heddle-test | grep -q "heddle.test"'
check "man heddle" inside 'man -w heddle && man -w heddle-c++'
check "completion" inside '. /usr/share/bash-completion/completions/heddle
    COMP_WORDS=(heddle test --ru) COMP_CWORD=2; _heddle; [ "${COMPREPLY[*]}" = --runs ]'
check "a first finding" inside 'cd /root && gcc -g -fsanitize=thread bank.c -o bank && heddle test --seed 1 -- ./bank; [ $? = 66 ]'
check "... replays" inside 'cd /root && heddle replay .heddle/findings/latest/replay.heddle --times 3; [ $? = 66 ]'
check "GoogleTest and Catch2" inside 'DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends cmake make g++ libgtest-dev catch2'
cp -r "$ROOT/examples/cmake" "$fresh/root/tests"
check "examples/cmake: configured" inside 'cd /root/tests && cmake -B b -DWITH_CATCH2=ON'
check "examples/cmake: built" inside 'cd /root/tests && cmake --build b -j2'
inside 'cd /root/tests/b && ctest --output-junit all.xml' >"$work/ctest" 2>&1
check "ctest fails exactly the racy tests" diff <(sed -n 's/.*[0-9] - \(.*\) (Failed)/\1/p' "$work/ctest" | sort) - <<'T'
Account.Open
Account.Withdraw
catch: one thread opens it
catch: withdrawals add up, too
T
check "a case for each of ten" test "$(grep -c '<testcase' "$fresh/root/tests/b/all.xml")" = 10
check "two ids for the two racy ones of GoogleTest, two for those of Catch2" \
    test "$(ls -d "$fresh"/root/tests/b/.heddle/findings/*-* | wc -l)" = 4
check "it goes away again" inside 'apt-get purge -y -q heddle && [ ! -e /usr/bin/heddle ]'
finish
