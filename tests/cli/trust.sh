#!/usr/bin/env bash
# Replaying runs programs and commands that files name: what was made here by the same
# user is replayed without a word, anything else is shown first and needs a yes or --trust.
. "$(dirname "$0")/lib.bash"
racy_c
correct_c
cp "$ROOT"/examples/echo_server/*.c "$ROOT"/examples/echo_server/test.toml .
build echo_server
gcc -g echo_client.c -o echo_client
latest=.heddle/findings/latest

# sum FILE: writes the checksum of its last line anew, as anybody can.
sum() {
    python3 - "$1" <<'END'
import sys
text = open(sys.argv[1], 'rb').read()
body, end = text[:text.rindex(b'\nend ') + 1], text[text.rindex(b'\nend ') + 1:].split()
h = 0xcbf29ce484222325
for b in body:
    h = ((h ^ b) * 0x100000001b3) & 0xffffffffffffffff
open(sys.argv[1], 'wb').write(body + b'end %s %016x\n' % (end[1], h))
END
}
command -v python3 >/dev/null || { echo "SKIPPED: python3 is missing"; exit 0; }
refused() { expect 98 "$1" "${2:-not run: give --trust}"; check "... and nothing was run" test ! -e ran; rm -f ran; }

# ---- made here -------------------------------------------------------------------------------
heddle test --seed 1 --setup 'touch ran' --cleanup true --check 'true' -- ./racy
heddle replay $latest/replay.heddle
expect 66 "a finding made here is replayed without a question" "failed as recorded"
check "and without a word" test -z "$(grep -i trust err)"
heddle replay $latest/original.heddle
check "the one before minimizing, too" test "$rc" = 66
heddle minimize --time 5s $latest/replay.heddle
expect 66 "minimize asks nothing, either"
heddle replay $latest/replay.heddle
expect 66 "nor replay after it" "failed as recorded"
cp -r "$(readlink -f $latest)" copy
heddle replay copy/replay.heddle
expect 66 "nor about a copy" "failed as recorded"
heddle run --seed 1 -- ./correct
heddle replay .heddle/last.heddle
expect 0 "nor about the last run" "ran as recorded"

# ---- changed by somebody ------------------------------------------------------------------------
rm -f ran
cp copy/replay.heddle keep.heddle
sed "s|^arg \"./racy\"|&\narg \"more\"|" keep.heddle >copy/replay.heddle
sum copy/replay.heddle
heddle replay copy/replay.heddle
refused "a changed argument" "made on another machine, or changed since.*as +./racy more.*setup +touch ran"
sed '/^seal /d' keep.heddle >copy/replay.heddle
sum copy/replay.heddle
heddle replay copy/replay.heddle
refused "no seal" "carries no seal of this machine"
sed 's/^seal .*/seal 0123456789abcdef/' keep.heddle >copy/replay.heddle
sum copy/replay.heddle
heddle replay copy/replay.heddle
refused "another machine's seal"
heddle minimize copy/replay.heddle
refused "minimize"
heddle replay --gdb copy/replay.heddle
refused "under gdb"
heddle replay --trust copy/replay.heddle
expect 66 "with --trust it is shown and run" "It runs.*program.*racy.*failed as recorded"
rm -f ran
cp keep.heddle copy/replay.heddle
echo 'touch ran; true' >copy/setup.sh
heddle replay copy/replay.heddle
refused "a changed command beside it" "the commands beside it were changed.*setup +touch ran; true"
printf 'touch ran' >copy/setup.sh
heddle replay copy/replay.heddle
expect 66 "as it was" "failed as recorded"
rm -f ran
echo 'touch ran' >copy/script.toml
heddle replay copy/replay.heddle
refused "a command file more"
rm copy/script.toml

heddle test --script test.toml --seed 1 --strategy random two
expect 66 "a finding of a script"
heddle replay $latest/replay.heddle
expect 66 "is replayed without a question" "failed as recorded"
cp -r "$(readlink -f $latest)" scripted
sed -i 's|^drive = .*|drive = "touch ran"|' scripted/script.toml
heddle replay scripted/replay.heddle
refused "a changed script" "drive +touch ran"

# ---- another user's ------------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && chown -R 12345 copy 2>/dev/null; then
    heddle replay copy/replay.heddle
    refused "a folder of another user" "it belongs to another user"
    chown -R 0 copy
fi

# ---- on a terminal ---------------------------------------------------------------------------------
if command -v script >/dev/null; then
    sed '/^seal /d' keep.heddle >copy/replay.heddle
    sum copy/replay.heddle
    # Answers when it is asked, and stays on the line until the replay is over.
    answer() {
        rm -f over
        : >out
        {
            for _ in $(seq 600); do grep -q y/N out && break; sleep 0.1; done
            echo "$1"
            for _ in $(seq 600); do [ -e over ] && break; sleep 0.1; done
        } | script -qefc "'$HEDDLE' replay copy/replay.heddle; rc=\$?; touch over; exit \$rc" /dev/null >out 2>err
        rc=$?
    }
    answer n
    refused "no on a terminal"
    answer y
    expect 66 "yes on a terminal" "run it\? .y/N..*failed as recorded"
fi
finish
