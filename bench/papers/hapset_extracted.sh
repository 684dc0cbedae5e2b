#!/usr/bin/env bash
# HaPSet (ICSE 2011), table 5: eleven small bugs, runs to each; here extracted/*.c, of the same
# kinds under the same names. All runs are the search's own (--learn 0).
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
    for how in hapset dpor pcb=2 chess=2 pset; do
        cell "$p" "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- "./$p"
    done
done
finish "HaPSet, table 5: runs to eleven small bugs" "runs; - is not within $RUNS runs or $LIMIT s"
