#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# examples/cxx: an assembly in C++, its port an abstract class, measured and swapped by a proxy that
# was made of its header.
. "$(dirname "$0")/tap.sh"

particles=$BUILD/examples/cxx/particles.xml
[ -e "$particles" ] || skip_all 'built without a C++ compiler'
plan 12
cd "$work" || exit 99

try "$PORTOLAN" check "$particles"
gives 'the assembly is good' 0 'good: 6 instances'

# The same by every pair and by cells.
try "$PORTOLAN" run --fixed --store=one.db "$particles"
gives 'it runs as it stands' 0
mv particles.txt direct.txt
try "$PORTOLAN" run --fixed --store=one.db --select forces=particles.Cells "$particles"
gives 'it runs with the alternative' 0
mv particles.txt cells.txt
[ "$(wc -l <direct.txt)" = 6 ] && python3 - direct.txt cells.txt <<'END'
import sys
a, b = ([[float(w) for w in line.split()] for line in open(name)] for name in sys.argv[1:])
# Sums of up to 500 terms in another order.
sys.exit(any(abs(x[2] - y[2]) > 1e-6 * (1 + abs(x[2])) for x, y in zip(a, b)) or not any(x[2] for x in a))
END
result 'both give the same energies' $?

# Which implementation is quicker depends on the machine: bench/choices.sh looks whether the choice is right.
store=$work/measured.db
try "$PORTOLAN" measure --repeat=1 --store="$store" "$particles"
gives 'all sizes were measured with both' 0 'done: 10 trials'
for n in 20 500; do
    try "$PORTOLAN" optimize --store="$store" --set n=$n "$particles"
    answered
    gives "$n particles: one of both is chosen" 0 '^  forces  *particles.(Direct|Cells)'
done
rm particles.txt
try "$PORTOLAN" run --store="$store" "$particles"
gives 'the run with a free choice finishes' 0
[ -s particles.txt ] && [ "$(cut -d' ' -f1,2 particles.txt)" = "$(cut -d' ' -f1,2 direct.txt)" ]
result 'the driver kept what it held, and went through all phases' $?
try "$PORTOLAN" profile --pruned --store="$store" "$particles"
gives 'the profile has the call path and the implementation' 0 \
    'forces.compute \[particles.Direct\] +600 '
try "$PORTOLAN" model --store="$store" "$particles"
gives 'times are modelled by the size of the container' 0 'particles.Direct +time +.*position' \
    'particles.Cells +time +.*position'

# Without the proxy's description there is no proxy.
mkdir bare && cp "$BUILD"/examples/cxx/particles.*xml "$BUILD"/examples/cxx/particles.so bare
try "$PORTOLAN" run --fixed --store=bare.db bare/particles.xml
gives 'a missing proxy is told by the port it is for' 1 'particles.Forces'
