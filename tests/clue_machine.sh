#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan clue check`: machine files are judged, with a line for each mistake, and drawn.
. "$(dirname "$0")/tap.sh"
plan 8

machines=$SOURCE/examples/clue/machines
good=0
for f in "$machines"/*.xml; do
    "$PORTOLAN" clue check "$f" >>"$work/all" 2>&1 || good=1
done
cp "$work/all" "$work/out"
: >"$work/err"
status=$good
gives 'the examples are good' 0 \
    "cheap.xml: good: 'cheap', 10 hosts with 20 processors; network: queues" \
    "fattree.xml: good: 'fattree', 512 hosts with 1024 processors; network: queues, 1792 links"

cat >"$work/bad.xml" <<'END'
<machine name="bad">
  <host name="node" count="4" cpus="2" memory="1XB"/>
  <send from="nodes" to="*" k="0.01"/>
  <transmission from="*" to="*">
    <point bytes="1KB" time="1"/>
    <point bytes="1" time="2"/>
  </transmission>
</machine>
END
try "$PORTOLAN" clue check "$work/bad.xml"
gives 'one mistake, of hosts, hides what depends on it' 1 \
    "bad.xml:2:[0-9]+: error: 'memory' is '1XB'; it must be a size" '1 error in '
sed 's/1XB/1GB/' "$work/bad.xml" >"$work/bad2.xml"
try "$PORTOLAN" clue check "$work/bad2.xml"
gives 'all other mistakes are told at once, on their lines' 1 \
    "bad2.xml:3:[0-9]+: error: there is no host 'nodes'; did you mean 'node'" \
    'bad2.xml:6:[0-9]+: error: points out of order: 1 bytes come after 1024' '2 errors in '

try "$PORTOLAN" clue check -o "$work/m.dot" "$machines/gigabit.xml"
gives 'a machine becomes a graph' 0 'gigabit.xml: good'
cp "$work/m.dot" "$work/out"
count 'that has a link for each of 32 hosts' 32 '"host[0-9]+" -- "switch"'
if command -v dot >/dev/null; then
    try "$PORTOLAN" clue check -o "$work/m.svg" "$machines/cheap.xml"
    [ "$status" = 0 ] && grep -q '<svg' "$work/m.svg" && grep -q 'node\[9\]' "$work/m.svg"
    result 'or a picture' $?
else
    echo 'ok 6 - or a picture # SKIP no Graphviz'
fi
try "$PORTOLAN" clue check -o "$work/m" "$machines/cheap.xml"
gives 'whose ending tells its kind' 1 'must end with .svg, .png, .pdf or .dot'
try "$PORTOLAN" clue check
gives 'a machine file is needed' 2 'a machine file is missing'
