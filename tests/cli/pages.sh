#!/usr/bin/env bash
# Code of libraries that Heddle only looked at, for futex calls and atomics, takes no memory in runs.
. "$(dirname "$0")/lib.bash"

cat >held.cc <<'EOF'
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
static std::mutex m;
static std::string text;
static void add()
{
    std::lock_guard<std::mutex> lock(m);
    text += "a";
}
/* KiB of the code of libstdc++: all of it, and what is there. */
int main()
{
    std::thread a(add), b(add);
    a.join();
    b.join();
    long size = 0, there = 0, n;
    bool is_it = false;
    char line[512];
    FILE *f = fopen("/proc/self/smaps", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (strchr(line, '-') && !strchr(line, ':'))
            is_it = false;
        if (strstr(line, " r-xp ") || strstr(line, " rwxp "))
            is_it = strstr(line, "/libstdc++.so");
        else if (strstr(line, "-p ") || strstr(line, "-s "))
            is_it = false;
        if (is_it && sscanf(line, "Size: %ld", &n) == 1)
            size += n;
        if (is_it && sscanf(line, "Rss: %ld", &n) == 1)
            there += n;
    }
    fprintf(stderr, "held %ld of %ld\n", there, size);
    return !size || there > size * 3 / 4;
}
EOF
g++ -g -O1 -fsanitize=thread held.cc -o held || exit 1
heddle test --seed 1 --runs 3 --strategy random -- ./held
expect 0 "a run holds less than three quarters of the code of libstdc++"
