#!/usr/bin/env bash
# A slice of tests/long/faults.sh: full disks, quota, limits, vanishing folders, killed processes.
. "$(dirname "$0")/lib.bash"
SIZES=5 INODES=2 QUOTAS=1 LIMITS=1 KILLS=6 bash "$HERE/../long/faults.sh" >faults 2>&1
rc=$?
sed 's/^/# /' faults | tail -25
check "nothing crashes, is damaged or left behind" test $rc = 0
finish
