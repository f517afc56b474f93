#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A component that was written for TAU's measurement component and the Mastermind's published ports, in
# an assembly; the clock moves only when told, so all numbers are exact.
#
# A step of n cells costs 1 ms + n us, and half as much in the flux; steps of 1000, 2000 and 3000 cells
# are monitored in a phase, one of 1000 follows it.
. "$(dirname "$0")/tap.sh"
[ -z "$PORTOLAN_SANITIZED" ] || skip_all 'the component would need the sanitizers, too'
reader=$(cd "$(dirname "$0")" && pwd)/tau_profile.py
python3 -c '' || skip_all 'python3, which reads the profiles, is not installed'
plan 15

PKG_CONFIG_PATH=$BUILD/meson-uninstalled
LD_LIBRARY_PATH=$BUILD/framework
export PKG_CONFIG_PATH LD_LIBRARY_PATH
unset PORTOLAN_PROFILE_DIR PROFILEDIR
cp "$SOURCE"/tests/performance/* "$work"
cd "$work" || exit 99
"$PORTOLAN" sidl --server=C wave.sidl -o . >"$work/out" 2>&1
# shellcheck disable=SC2046 # a list of words
"${CC:-cc}" -shared -fPIC -Wall -Wno-unused-parameter -Werror -o wave.so ./*.c \
    $(pkg-config --cflags --libs portolan) >"$work/out" 2>&1
status=$?
gives 'the component compiles with the headers of the ports' 0

try "$PORTOLAN" run wave.xml
gives 'and runs' 0
gives 'a query tells totals over call paths' 0 \
    '^timer wave::step void \(int\): 4 calls, 4 below, 11000 us of its own, 16500 us in all$' \
    '^timer wave::flux: 4 calls, 0 below, 5500 us of its own, 5500 us in all$' \
    '^timer time stepping: 1 calls, 3 below, 0 us of its own, 13500 us in all$'
gives 'a record has a row per invocation' 0 '^row 1000 3000 0 3000$' '^row 2000 4500 0 4500$' \
    '^row 3000 6000 0 6000$'

printf '# Portolan record 1\n# routine wave::advance()\n# rank 0 of 1\n# rows 3, left out 0\n' >expected
printf '# columns\tcells\telapsed_us\tmpi_us\tcompute_us\n' >>expected
printf '1000\t3000\t0\t3000\n2000\t4500\t0\t4500\n3000\t6000\t0\t6000\n' >>expected
diff expected advance.txt.0 >"$work/out"
result 'the record is written at the end' $?

try python3 "$reader" .
gives 'TAU profiles obey the rules of their readers' 0
gives 'timers are there with their parameters' 0 \
    '^TIME 0.0 WAVE 4 4 11000 16500 wave::step void \(int\)$' \
    '^TIME 0.0 TAU_PARAM 2 2 4000 6000 wave::step void \(int\) \[ <cells> = <1000> \]$' \
    '^TIME 0.0 TAU_PARAM 1 1 4000 6000 wave::step void \(int\) \[ <cells> = <3000> \]$'
gives 'a phase tells what is below it apart' 0 \
    '^TIME 0.0 TAU_CALLPATH 3 3 9000 13500 .TAU application => time stepping => wave::advance\(\) => wave::step void \(int\)$' \
    '^TIME 0.0 TAU_CALLPATH 1 1 2000 3000 .TAU application => wave::step void \(int\)$'
gives 'events have their statistics' 0 '^TIME 0.0 event 4 3000 1000 1750 1.5e\+07 cells per step$' \
    '^TIME 0.0 event 4 0.001 0.000333333 0.000708333 '
mkdir middle
mv middle.0.0.0 middle/profile.0.0.0
try python3 "$reader" middle
gives 'a dump in the middle is such a profile, too' 0 '^TIME 0.0 TAU_USER 4 0 5500 5500 wave::flux$'

PORTOLAN_PROFILE_EVENT_PATHS=1 try "$PORTOLAN" run wave.xml
try python3 "$reader" . --event-paths
gives 'events stand with their call paths where that is asked for' 0 \
    'event 3 0.001 .* residual : .TAU application => time stepping => wave::advance\(\) => wave::step void \(int\) => wave::flux$' \
    'event 1 0.001 0.001 0.001 1e-06 residual : .TAU application => wave::step void \(int\) => wave::flux$'

try "$PORTOLAN" profile wave.db
gives 'and the Mastermind has stored the same' 0 'wave::step|step void' 'time stepping' 'advance'

rm -f profile.* advance.txt.* wave.db*
# The clock is ManualClock's, so the times in a trace are exact, too.
try env PORTOLAN_TRACE=trace "$PORTOLAN" run wave.xml
if has_wing hercule; then
    try "$PORTOLAN" trace trace
    gives 'timers and phases are regions of a trace' 0 'virtual times' '^# timer wave::flux' '^# phase ' \
        '^0\.0 0\.002000000 ENTER wave::flux$' '^0\.0 0\.003000000 LEAVE wave::step void \(int\)$' \
        '^0\.0 0\.013500000 LEAVE time stepping$'
    lacks 'and nothing has times of another clock' '^0\.0 [1-9]'
else
    skip_checks 2 'traces are of the wing hercule'
fi

try "$MPIEXEC" -n 2 "$PORTOLAN" run wave.xml
[ "$status" = 0 ] && try python3 "$reader" . && [ -s profile.1.0.0 ] &&
    sed 's/rank 0 of 1/rank 1 of 2/' expected | diff - advance.txt.1 >"$work/out"
result 'each rank has its profile and its record' $?
