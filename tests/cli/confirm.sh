#!/usr/bin/env bash
# A server that dies while a finding is confirmed is started again and confirming goes on.
. "$(dirname "$0")/lib.bash"

# Fails as racy does, and kills its server in some of the replays.
cat >dies.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int counter;
static void *add(void *arg)
{
    for (int i = 0; i < 3; i++)
        counter++;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (counter == 6)
        return 0;
    FILE *f = fopen("failed", "a"); /* one byte for each failing run */
    fputc('x', f);
    long n = ftell(f);
    fclose(f);
    if (n == 3 || n == 5 || (argc > 1 && n > 1))
        kill(getppid(), SIGKILL); /* in the second and in the fourth replay, or in each */
    assert(counter == 6);
    return 0;
}
END
build dies
heddle test --seed 1 --no-minimize --strategy random --json r.json -- ./dies
expect 66 "the server dies in two of the replays" "Replayed 5 times: the same failure every time"
check "all replays were made" jq -e '.findings[0] | .tried == 5 and .reproduced == 5' r.json
rm -rf failed .heddle
heddle test --seed 1 --no-minimize -k --runs 300 --strategy random --json r.json -- ./dies
expect 66 "the campaign goes on" " 300 runs in"
check "nothing is said that is not so" test -z "$(grep 'only [0-9]* gave' out)"
rm -rf failed .heddle
heddle test --seed 1 --no-minimize --strategy random --json r.json -- ./dies always
expect 66 "a server that dies in each replay" "FINDING"
check "... is not said to have been replayed" jq -e '.findings[0].tried == 0' r.json
check "... nor to have ended otherwise" test -z "$(grep 'only [0-9]* gave' out)"
check "nothing is left" bash -c '! ls -l /proc/[0-9]*/exe 2>/dev/null | grep -- "-> $PWD/"'
finish
