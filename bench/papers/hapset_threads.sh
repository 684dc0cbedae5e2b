#!/usr/bin/env bash
# HaPSet (ICSE 2011), table 4: how the runs to the bug grow with the threads of aget; here
# bench/programs/downloader.c, which saves its state as aget does.
. "$(dirname "$0")/lib.bash"
paper HaPSet 2=3 3=7 4=12 5=14 6=16 7=18 8=20 9=22 10=24
build "$ROOT/bench/programs/downloader.c" downloader || exit 2
for n in 2 3 4 5 6 7 8 9 10; do
    for how in hapset dpor pcb=2; do
        cell "$n" "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- ./downloader "$n"
    done
done
finish "HaPSet, table 4: runs to the bug by number of threads" "runs; a line ends where none is within $RUNS runs or $LIMIT s" lines threads
