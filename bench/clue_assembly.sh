#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Is the assembly that is chosen for a slow network really the fastest there? All fixed assemblies of
# examples/halo on its slow.xml in virtual time, and for real on this machine, whose messages a shim
# holds up by the send delays of that file. Prints a table, as in docs/truth.md. Give it the machine for
# itself.
#
#     bench/clue_assembly.sh BUILD
set -eu
build=$(cd "$1" && pwd)
portolan=$build/cli/portolan
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PORTOLAN_PATH=$(find "$build/proxygen" "$build/mastermind" "$build/optimizer/component" "$build/components" \
    "$build/examples/halo" -maxdepth 1 -type d | tr '\n' ':')
export PORTOLAN_PATH
cp "$source"/examples/halo/halo.xml "$source"/examples/halo/slow.xml .
"$portolan" link halo.xml -o halo >/dev/null
# d and k of <send>, in ns and ns a byte
delay=$(sed -n 's/.*<send .*k="\([0-9]*\)us\/KB" d="\([0-9]*\)us".*/\1 \2/p' slow.xml |
    awk '{print 1000 * $2, 1000 * $1 / 1024}')

# real NAME VALUE PRELOADED: the runs of an assembly beside virtual ones
real() {
    env ${3:+LD_PRELOAD="$3" PORTOLAN_SLOW="$delay"} "$portolan" clue run -m slow.xml -n 2 --no-trial --compare-real -- \
        ./halo --fixed --quiet --select "$1" 2>&1 >/dev/null |
        sed -n "s!^compare real  virtual \(.*\)   real \(.*\) ([0-9] runs, \(.*\) \.\.\. \(.*\))   .*!| $1, $2 | \1 | \2 | \3 ... \4 |!p"
}

echo "| fixed assembly, 2 ranks | virtual, slow.xml | real, median | real runs |"
echo "|---|---|---|---|"
for relaxation in halo.Narrow halo.Wide; do
    real "relaxation=$relaxation" 'slow network' "$build/clue/calibrate/libportolan-slow.so"
    real "relaxation=$relaxation" 'as this machine is' ''
done
"$portolan" measure --machine slow.xml -n 2 --all-fixed --quiet halo.xml
"$portolan" optimize --machine slow.xml halo.xml -o there.xml >chosen || true
printf '\nChosen for slow.xml:%s\n' "$(sed -n 's/^  *relaxation  */ /p' chosen | head -1)"
