#!/usr/bin/env bash
# HaPSet (ICSE 2011), tables 2 and 3: a downloader, a compressor and a scanner with the bugs of
# aget, pbzip2 and pfscan. The programs themselves are small: what makes searches hard, threads
# that do the same in any order, is there. Table 1: hapset_pool.sh.
. "$(dirname "$0")/lib.bash"
paper HaPSet downloader=14 compressor=2 compressor_fixed=8 scanner=28
paper DPOR downloader=96 compressor=2 compressor_fixed=- scanner=-
paper PCB2 downloader=94 compressor=2 compressor_fixed=- scanner=-
build "$ROOT/bench/programs/downloader.c" downloader || exit 2
build "$papers/programs/compressor.c" compressor || exit 2
build "$papers/programs/scanner.c" scanner || exit 2
for how in hapset dpor pcb=2 pcb=0 pcb=1 pcb=3 pcb=4 hapset=2; do
    cell downloader "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- ./downloader 5
    cell compressor "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- ./compressor early
    cell compressor_fixed "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- ./compressor late
    cell scanner "$how" runs_to_bug --coverage none --learn 0 --fresh --strategy "$how" -- ./scanner
done
finish "HaPSet, tables 2 and 3: runs to the bugs of three programs" "runs; - is not within $RUNS runs or $LIMIT s"
