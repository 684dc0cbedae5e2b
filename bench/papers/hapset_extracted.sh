#!/usr/bin/env bash
# HaPSet (ICSE 2011), table 5: eleven small bugs, runs to each; here extracted/*.c, of the same
# kinds under the same names. hapset as it is by default: all that it learns from before the bug are runs that count here.
# Of the others all runs are the search's own (--learn 0). Then the sums of hapset over SEEDS (20) seeds.
. "$(dirname "$0")/lib.bash"
paper HaPSet mysql_log=5 node_state=5 load_script=5 seek_to_item=3 update_timer=3 file_transport=5 \
    create_thread=5 read_write_proc=5 open_input_stream=5 http_connect=5 timer_thread=3
paper DPOR mysql_log=22 node_state=22 load_script=79 seek_to_item=127 update_timer=128 file_transport=22 \
    create_thread=22 read_write_proc=175 open_input_stream=1409 http_connect=37 timer_thread=101
paper PCB2 mysql_log=12 node_state=12 load_script=27 seek_to_item=22 update_timer=10 file_transport=12 \
    create_thread=12 read_write_proc=20 open_input_stream=42 http_connect=16 timer_thread=18
for f in "$papers"/extracted/*.c; do
    p=$(basename "$f" .c)
    build "$f" "$p" || continue
    cell "$p" hapset runs_to_bug --coverage none --fresh --strategy hapset -- "./$p"
    for how in dpor pcb=2 chess=2 pset; do
        cell "$p" "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- "./$p"
    done
done
for f in "$papers"/extracted/*.c; do
    p=$(basename "$f" .c)
    for ((seed = 1; seed <= ${SEEDS:-20}; seed++)); do
        runs_to_bug --coverage none --fresh --strategy hapset -- "./$p" | sed "s/^/$seed /"
    done
done | awk '$2 == "-" { $2 = 6000 } { s[$1] += $2 }
    END { for (i in s) { n++; t += s[i]; if (s[i] > most) most = s[i]; if (n == 1 || s[i] < least) least = s[i] }
          printf "hapset, learning included: %d to %d runs in all over %d seeds, mean %.1f (paper: 49)\n", least, most, n, t / n }'
finish "HaPSet, table 5: runs to eleven small bugs" "runs; - is not within $RUNS runs or $LIMIT s"
