#!/usr/bin/env bash
# A recorded run is the same run whatever surrounds its replay: limits, environment,
# mode mask, ignored signals, processors, folder, terminal, the place where Heddle is. What
# cannot be restored is named if the replay leaves the schedule.
. "$(dirname "$0")/lib.bash"

# Does something else for everything it inherits.
cat >depends.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long passes;
static void spend(unsigned long n)
{
    for (n %= 97; n; n--) {
        pthread_mutex_lock(&lock);
        passes++;
        pthread_mutex_unlock(&lock);
    }
}
static void *worker(void *arg)
{
    char here[2000];
    memset(here, 0, sizeof here);
    spend(11);
    return arg;
}
int main(void)
{
    struct rlimit r;
    struct sigaction a;
    cpu_set_t set;
    pthread_t t[2];
    extern char **environ;
    static const int limit[] = {RLIMIT_STACK, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CPU,
                                RLIMIT_MEMLOCK};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (unsigned i = 0; i < sizeof limit / sizeof *limit; i++)
        if (!getrlimit(limit[i], &r))
            spend(r.rlim_cur / 1024);
    for (int s = 1; s < 32; s++)
        if (!sigaction(s, 0, &a) && a.sa_handler == SIG_IGN)
            spend((unsigned long)s);
    spend(umask(0));
    for (char **e = environ; *e; e++)
        spend(strlen(*e));
    sched_getaffinity(0, sizeof set, &set);
    spend((unsigned long)CPU_COUNT(&set));
    spend((unsigned long)get_nprocs() + (unsigned long)sysconf(_SC_NPROCESSORS_CONF));
    printf("a line\n");
    spend(isatty(1) ? 5u : 6u);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("another\n");
    return 0;
}
END
build depends
heddle run -q --strategy random --seed 5 -- ./depends
expect 0 "recorded"
cp .heddle/last.heddle here.heddle
again() { # the replay under what the rest of the line sets up
    "$@" "$HEDDLE" replay --times 3 here.heddle >out 2>err
    rc=$?
}
limited() { ulimit "$1" "$2" && shift 2 && "$@"; }
again env X=1 Y=2 LANG=de_DE.UTF-8
expect 0 "more variables" "as recorded, 3 of 3"
again env -i
expect 0 "no variables" "as recorded, 3 of 3"
again env BIG="$(head -c 70000 /dev/zero | tr '\0' x)"
expect 0 "a large environment" "as recorded, 3 of 3"
for size in 256 1024 65536 unlimited; do
    rc=$(again limited -Ss $size; echo $rc)
    expect 0 "stack limit $size" "as recorded, 3 of 3"
done
rc=$(again limited -Sf 100000; echo $rc)
expect 0 "file size limit" "as recorded, 3 of 3"
rc=$(again limited -St 1000; echo $rc)
expect 0 "processor time limit" "as recorded, 3 of 3"
rc=$(umask 0; again env; echo $rc)
expect 0 "mode mask" "as recorded, 3 of 3"
rc=$(trap '' INT QUIT USR1; again env; echo $rc)
expect 0 "ignored signals" "as recorded, 3 of 3"
again nohup
expect 0 "nohup" "as recorded, 3 of 3"
again taskset -c 0
expect 0 "fewer processors" "as recorded, 3 of 3"
again nice -n 15
expect 0 "lower priority" "as recorded, 3 of 3"
mkdir elsewhere
rc=$(cd elsewhere && "$HEDDLE" replay --times 3 ../here.heddle >../out 2>../err; echo $?)
expect 0 "another folder" "as recorded, 3 of 3"

# A terminal: recorded on one, replayed without, and the other way round.
on_terminal() { script -qec "$*" /dev/null </dev/null >out 2>err; rc=$?; }
on_terminal "$HEDDLE run --strategy random --seed 5 --dir tty -- ./depends"
expect 0 "recorded on a terminal" "a line"
heddle replay --times 3 tty/last.heddle
expect 0 "... replayed without one" "as recorded, 3 of 3"
on_terminal "$HEDDLE replay --times 3 --show-output here.heddle"
expect 0 "recorded without a terminal, replayed on one" "another.*as recorded, 3 of 3"
heddle replay --times 2 --show-output here.heddle
expect 0 "output is let through once per run" "a line another a line another"

# What cannot be restored is named.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir other && cp here.heddle other/ && chmod -R a+rX . && chown -R 65534:65534 other
    if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$HEDDLE"; then
        (ulimit -s 1024 && cd other && setpriv --reuid 65534 --regid 65534 --clear-groups \
            "$HEDDLE" replay here.heddle) >out 2>err
        rc=$?
        expect 98 "a hard limit in the way" "'stack' was [0-9]* and cannot be raised above 1048576.*user 0"
    fi
fi
MY_TOKEN=one heddle run -q --strategy random --seed 5 --dir secret -- ./depends
expect 0 "recorded with a secret"
check "the secret is not in the file" sh -c '! grep -q "TOKEN=one" secret/last.heddle'
MY_TOKEN=one heddle replay secret/last.heddle
expect 0 "the same secret" "as recorded"
MY_TOKEN=three heddle replay secret/last.heddle
expect 98 "another secret" "variable MY_TOKEN has another value"

# What no replay restores is not claimed to be something else.
cat >file.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
    int n = 0;
    FILE *f = fopen("counter", "r");
    if (!f || fscanf(f, "%d", &n) != 1)
        exit(3);
    fclose(f);
    for (; n; n--) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
END
build file
echo 1 >counter
heddle run -q --strategy random --seed 5 --dir kept -- ./file
expect 0 "recorded with a file"
heddle replay kept/last.heddle
expect 0 "the same file" "as recorded"
echo 3 >counter
heddle replay kept/last.heddle
expect 98 "another file" "contents of a file"

# How many processes are above it: test frameworks go up to see whether one is a debugger.
cat >up.cc <<'END'
/* Looks at the processes above it, as test frameworks do to find a debugger, in every way there is. */
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>
static int counter;
static void *add(void *arg) { for (int i = 0; i < 3; i++) counter++; return arg; }
static int parent_by_read(int pid)
{
    char path[40], text[512], *p;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY), parent = 0;
    size_t n = 0;
    while (fd >= 0 && n < sizeof text - 1 && read(fd, text + n, 1) == 1)
        n++;
    text[n] = 0;
    if ((p = strrchr(text, ')')))
        sscanf(p + 1, " %*c %d", &parent);
    if (fd >= 0)
        close(fd);
    return parent;
}
static int parent_by_stdio(int pid)
{
    char path[40], line[200];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "PPid: %d", &parent);
    if (f)
        fclose(f);
    return parent;
}
static int parent_by_stream(int pid)
{
    std::ifstream in("/proc/" + std::to_string(pid) + "/status");
    std::string line;
    int parent = 0;
    while (std::getline(in, line))
        sscanf(line.c_str(), "PPid: %d", &parent);
    return parent;
}
int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "read";
    int (*parent)(int) = !strcmp(way, "stdio") ? parent_by_stdio : !strcmp(way, "stream") ? parent_by_stream : parent_by_read;
    if (!strcmp(way, "dir")) {
        DIR *d = opendir("/proc");
        while (readdir(d)) ;
        closedir(d);
        d = opendir("/proc/self/fd");
        while (readdir(d)) ;
        closedir(d);
    } else
        for (int pid = getpid(); pid > 0; pid = parent(pid))
            ;
    char path[40]; // a std::string is a block of the heap or not, by the number of digits: another run
    snprintf(path, sizeof path, "/proc/%d/stat", getppid());
    int own = open("/proc/self/stat", O_RDONLY), above = open(path, O_RDONLY);
    if (own < 0 || above < 0)
        return 2;
    close(own);
    close(above);
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    return counter != 6;
}
END
g++ -g -fsanitize=thread up.cc -o up
deeper() { bash -c '"$@"; exit $?' - bash -c '"$@"; exit $?' - "$@"; }
for way in read stdio stream dir; do
    heddle test -q --seed 1 --runs 200 --no-minimize --dir "up.$way" -- ./up $way
    expect 66 "a program that looks at those above it ($way)" 'status 1'
    deeper "$HEDDLE" replay "up.$way/findings/latest/replay.heddle" >out 2>err
    rc=$?
    expect 66 "replayed from further down ($way)" "as recorded"
done

# Heddle elsewhere, with a path of another length. Blocks of many sizes: one is as large as what
# the loader allocates for a message with that path.
cat >blocks.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static char *volatile block[64];
static void *worker(void *arg)
{
    for (int i = 0; i < 64; i++) {
        block[i] = malloc((size_t)i * 8 + 1);
        block[i][0]++;
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
END
build blocks
heddle test -q --strategy random --seed 5 --runs 20 -- ./blocks # what is shared is learned here
heddle run -q --strategy random --seed 5 --dir kept -- ./blocks
expect 0 "recorded with blocks of many sizes"
bin=$(dirname "$(realpath "$HEDDLE")")
for there in x a/folder/with/a/path/that/is/longer/by/far/than/the/one/it/was/recorded/from; do
    mkdir -p "$there/lib"
    cp -r "$bin" "$there/bin" && cp -r "$bin/../lib/heddle" "$there/lib/"
    (HEDDLE=$PWD/$there/bin/heddle && heddle replay kept/last.heddle && exit $rc)
    rc=$?
    expect 0 "replayed by a copy in ${there:0:8}" "as recorded"
done
finish
