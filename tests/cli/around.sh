#!/usr/bin/env bash
# --setup and --cleanup around each run; programs whose first run differs from later ones
# are recognised and told about them.
. "$(dirname "$0")/lib.bash"

# Creates a file with O_EXCL: the second run fails, natively, too. Its race is real.
cat >excl.c <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
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
    int late = argc > 1 && argv[1][0] == 'l';
    if (!late && open("made", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
        return perror("made"), 1;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (late && open("made", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
        return perror("made"), 1;
    if (argc > 1 && argv[1][0] != 'l')
        assert(counter == 6);
    return 0;
}
END
build excl
for strategy in active random; do
    for when in "" late; do
        rm -rf made .heddle
        heddle test --strategy $strategy --seed 1 --runs 200 -- ./excl $when
        expect 98 "a file that is created once (${when:-early}, $strategy)" "something that runs leave behind.*--setup"
        check "... is no finding" test ! -e .heddle/findings
        check "... and its message is shown" grep -q 'made: File exists' err
        rm -rf made .heddle
        heddle test --strategy $strategy --seed 1 --runs 200 --setup 'rm -f made' -- ./excl $when
        expect 0 "with --setup it is tested" " 200 runs in"
        rm -rf made .heddle
        heddle test --strategy $strategy --seed 1 --runs 200 --cleanup 'rm made' -- ./excl $when
        expect 0 "with --cleanup, too" " 200 runs in"
        check "which leaves nothing" test ! -e made
    done
done

# A real race in such a program.
heddle test --seed 1 --setup 'rm -f made' -- ./excl fail
expect 66 "a race is found with --setup" "Replayed 5 times: the same failure every time"
check "the command is saved" grep -qx 'rm -f made' .heddle/findings/latest/setup.sh
heddle replay --times 3 .heddle/findings/latest/replay.heddle
expect 66 "replay uses it" "failed as recorded, 3 of 3"
heddle minimize --time 10s .heddle/findings/latest/replay.heddle
expect 66 "minimize, too"
rm -rf .heddle made
heddle test --seed 1 --jobs 2 --setup 'rm -f made' --cleanup 'echo $HEDDLE_RUN >>ran; rm -f made' -- ./excl fail
check "the command after each run knows its number" grep -qx 0 ran
heddle run --seed 1 --setup 'rm -f made; echo x >>sets' --cleanup 'echo x >>cleans' -- ./excl
check "run has both" cmp sets cleans

# A program that leaves something behind and still has a race: the finding counts.
cat >appends.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int counter;
static void *add(void *arg) { for (int i = 0; i < 3; i++) counter++; return arg; }
int main(void)
{
    pthread_t a, b;
    FILE *f = fopen("log", "a");
    if (ftell(f) == 0)
        fputs("new\n", f);
    fclose(f);
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 6);
    return 0;
}
END
build appends
for seed in 1 2 3; do
    rm -f log
    heddle test --seed $seed -- ./appends
    expect 66 "a real race beside a file that is left (seed $seed)" FINDING
done

# ---- what goes wrong ----------------------------------------------------------------------
correct_c
heddle test --runs 5 --setup 'echo no room; exit 3' -- ./correct
expect 99 "a setup that fails" "the setup .echo no room; exit 3. ended with status 3: no room"
heddle test --runs 5 --cleanup 'exit 4' -- ./correct
expect 99 "a cleanup that fails" "the cleanup .exit 4. ended with status 4"
heddle test --runs 5 --timeout 300ms --setup 'sleep 20' -- ./correct
expect 99 "a setup that hangs" "the setup .sleep 20. did not end within 0.3 s"
heddle run --setup 'exit 5' -- ./correct
expect 99 "run says it, too" "the setup .exit 5. ended with status 5"
echo 'program.path = "./correct"' >s.toml
heddle test --script s.toml --setup true
expect 64 "a script has its own" "teardown"
touch torn
timeout 60 "$HEDDLE" test --time 30s --cleanup 'echo x >>torn' -- ./correct >out 2>err &
pid=$!
for _ in $(seq 100); do [ -s torn ] && break; sleep 0.1; done
pkill -TERM -P $pid
wait $pid
check "a campaign that is interrupted leaves no command" test -z "$(pgrep -f 'echo x >>torn')"
finish
