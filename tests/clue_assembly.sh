#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The best parts of an assembly on machines that are not there: on a slow network another part is
# best than without any delay, and no choice for this machine learns from such trials.
set -u
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
[ "${MPI:-mpich}" = mpich ] || skip_all 'ranks in virtual time are of MPICH'
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'programs are not sanitized'
plan 17
cp "$BUILD/examples/halo/halo.xml" "$BUILD/examples/halo/slow.xml" "$work"
cd "$work" || exit 99
export PORTOLAN_PATH="$PORTOLAN_PATH:$BUILD/examples/halo"
cat >fast.xml <<'END'
<machine name="fast">
  <host name="node" count="2" receive="0.1us"/>
  <send from="node" to="node" k="0.1us/KB" d="0.2us"/>
  <transmission from="node" to="node" k="0us/KB" d="0.1us"/>
  <network model="none"/>
</machine>
END

try "$PORTOLAN" measure --machine slow.xml -n 2 --repeat 2 halo.xml
gives 'parts are measured where messages take long' 0 'measure: done: [0-9]+ trials'
try "$PORTOLAN" optimize --machine slow.xml halo.xml -o there.xml
gives 'few large messages are best there, and more work' 0 '^  relaxation +halo\.Wide' \
    'with a chance of 100 %' 'written: there\.xml'
try grep 'instance name="relaxation"' there.xml
gives 'so says the chosen assembly' 0 'class="halo\.Wide"'
try "$PORTOLAN" optimize halo.xml
gives 'a choice for this machine does not learn from it' 3 'no trial of assembly'
try "$PORTOLAN" measure --machine fast.xml -n 2 --repeat 2 halo.xml
gives 'they are measured where messages take no time' 0 'measure: done: [0-9]+ trials'
# Which part is best there is a matter of the processor's speed, which differs from run to run.
try "$PORTOLAN" predict --machine fast.xml halo.xml --select relaxation=halo.Narrow
gives 'there many small ones cost milliseconds' 0 'predicted: +[0-9.]+ ms'
try "$PORTOLAN" optimize --machine slow.xml halo.xml
gives 'which changes nothing for the first machine' 0 '^  relaxation +halo\.Wide'
try "$PORTOLAN" predict --machine slow.xml halo.xml --select relaxation=halo.Narrow
gives 'a prediction for it' 0 'predicted: +1\.(69|7)'
try "$PORTOLAN" model list halo.xml
gives 'a law is of one machine' 0 "note: [0-9]+ trials are left out.*'virtual machine=slow'"
try "$PORTOLAN" model list halo.xml 'virtual machine=*'
gives 'even if all are asked for' 0 "note: [0-9]+ trials are left out.*'virtual machine=slow'"
printf 'load "portolan.db"\n' >halo.llac
try "$PORTOLAN" llac halo.llac
gives 'so are tables' 0 "note: [0-9]+ trials are left out.*'virtual machine=slow'"
try "$PORTOLAN" measure --machine slow.xml -n 2 --all-fixed halo.xml
gives 'all fixed assemblies run there' 0 'done: 2 fixed assemblies'
try "$PORTOLAN" report --machine slow.xml halo.xml
gives 'and are compared' 0 'fixed assemblies, measured' 'relaxation=halo\.Narrow'
"$PORTOLAN" link halo.xml -o halo >/dev/null || exit 99
try "$PORTOLAN" clue run -m fast.xml -n 2 --no-trial --compare-real -- ./halo --fixed --quiet --set driver.steps=1
gives 'the linked program really runs, too' 0 '^compare real .* real [0-9.]+ [um]?s \([0-9] runs'
try "$PORTOLAN" measure --machine nowhere.xml -n 2 halo.xml
gives 'a machine file that is missing is told' 1 'nowhere\.xml'
try "$PORTOLAN" measure -n 4 halo.xml
gives 'ranks without a machine are wrong usage' 2 'mpiexec -n 4 portolan measure .*--repeat 4'
try "$PORTOLAN" report --machine slow.xml portolan.db
gives 'so is a machine for the store of a wrapped program' 2 'goes with an assembly'
