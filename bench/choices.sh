#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Choices made of times on the real clock, which other work on the machine may spoil: examples/cxx takes every
# pair for few particles and cells for many, and the paper's example with busy work crosses at x = 2.
# Steps are not grouped, so that a swap can follow each change of the size.
. "$BUILD/tests/devenv.sh"
folder=$(mktemp -d) wrong=0
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
particles=$BUILD/examples/cxx/particles.xml busy=$BUILD/examples/paper/busy.xml
repeat=3
[ "${PORTOLAN_BENCH_SHORT-}" ] && repeat=1

# says NAME PATTERN...: each is a line of what the last command wrote.
says() {
    name=$1 verdict=right
    shift
    for pattern; do grep -Eq "$pattern" out || verdict=wrong; done
    echo "$name: $verdict"
    [ $verdict = right ] || { wrong=1 && cat out; }
}
# A choice that is sure of less than it should be (3) is a choice.
run() { portolan "$@" >out 2>&1 || [ $? = 3 ] || { cat out && exit 1; }; }

if [ -e "$particles" ]; then # there is a C++ compiler
    run measure --repeat=$repeat --store=cxx.db "$particles"
    run optimize --store=cxx.db --set n=20 "$particles"
    says '20 particles: every pair' '^  forces  *particles.Direct'
    run optimize --store=cxx.db --set n=500 "$particles"
    says '500 particles: cells' '^  forces  *particles.Cells'
    run run --set mastermind.group=0 --store=cxx.db "$particles"
    says 'the run goes over to cells and back' 'step 2: forces particles.Direct -> particles.Cells' 'optimizer: step 4: '
fi
run measure --repeat=$repeat --store=busy.db "$busy"
run optimize --store=busy.db --set x=1 --set sequence= "$busy"
says 'x = 1: A2 and B1' '^  a  *paper.A2' '^  b  *paper.B1'
run optimize --store=busy.db --set x=4 --set sequence= "$busy"
says 'x = 4: A1 and B2' '^  a  *paper.A1' '^  b  *paper.B2'
run run --set mastermind.group=0 --store=busy.db "$busy"
sed -n 's/.*optimizer: step \([0-9]*\): .*/\1/p' out | xargs >steps && mv steps out
says 'it swaps when x crosses 2, and only then' '^0 2 4 5 6$'
# In short, times are not judged: the commands ran.
[ "${PORTOLAN_BENCH_SHORT-}" ] || exit $wrong
