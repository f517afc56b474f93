#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The main job on real input: heat conduction in a plate and in a block is measured, modelled,
# optimised, and its solvers are swapped while it runs. Usage: demo.sh BUILDDIR
set -eu
build=${1:?usage: demo.sh BUILDDIR}
. "$build/tests/devenv.sh"
cd "$PORTOLAN_BUILD/examples/heat"
ranks=2
store=demo.db
began=$(date +%s)

title() {
    printf '\n--- %s\n\n' "$1"
}

for geometry in plate block; do
    assembly=$geometry.xml
    printf '\n======== %s ========\n' "$geometry"
    title 'the assembly, as written'
    portolan draw --text $assembly
    title 'measuring the alternatives'
    $MPIEXEC -n $ranks portolan measure --store=$store $assembly
    title 'the call graph, and what is pruned'
    portolan profile --pruned --store=$store $assembly
    title 'models of the core components'
    portolan model --store=$store $assembly
    title 'the choice, before it is run'
    # 3: it cannot tell, on a busy machine say; the run below begins as written then.
    portolan optimize --store=$store --output=$geometry-chosen.xml $assembly || [ $? -eq 3 ]
    title 'the run'
    $MPIEXEC -n $ranks portolan run --store=$store $assembly
    if [ $geometry = plate ]; then
        title 'each fixed assembly, to judge the choice by'
        $MPIEXEC -n $ranks portolan measure --all-fixed --store=$store $assembly
    fi
    title 'predicted and measured'
    portolan report --store=$store $assembly
done

title 'from an empty store: it explores while it runs'
rm -f explored.db*
$MPIEXEC -n $ranks portolan run --store=explored.db --set driver.steps=200 plate.xml
portolan explain --store=explored.db plate.xml

for geometry in plate block; do
    portolan report --html=$geometry.html --store=$store $geometry.xml
done
printf '\n%d s in all. The experiment store is %s/%s; run this again to start from what it knows.\n' \
    $(($(date +%s) - began)) "$PWD" "$store"
echo "To look at, with a browser: $PWD/plate.html and $PWD/block.html"
