#!/usr/bin/env bash
# HaPSet (ICSE 2011), table 1: thrift's thread pool, 2 to 5 workers with 5 tasks each, a deadlock; here
# programs/thread_manager.c, whose bounded queue wakes too few of those who wait.
. "$(dirname "$0")/lib.bash"
paper HaPSet 2=14 3=18 4=22 5=25
paper DPOR 2=23 3=- 4=- 5=-
paper PCB0 2=- 3=- 4=- 5=-
paper PCB1 2=26 3=399 4=- 5=-
paper PCB2 2=215 3=- 4=- 5=-
paper PCB3 2=- 3=- 4=- 5=-
build "$papers/programs/thread_manager.c" pool || exit 2
for n in 2 3 4 5; do
    for how in hapset dpor pcb=0 pcb=1 pcb=2 pcb=3; do
        cell "$n" "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- ./pool "$n"
    done
done
finish "HaPSet, table 1: runs to the deadlock of a thread pool by number of workers" "runs; - is not within $RUNS runs or $LIMIT s" bars workers
