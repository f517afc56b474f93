#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs of PVM in virtual time: they print what they print under a real pvmd, and take what the
# machine's delays add up to.
. "$(dirname "$0")/tap.sh"
everything=$BUILD/clue/pvm/pvm_everything
farm=$BUILD/clue/pvm/pvm_farm
[ -x "$farm" ] || skip_all 'PVM is not installed'
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'tasks are folded'
plan 7
cd "$work" || exit 99

# In the paper's units of 100 us: 2.5 us to pack a KB; a send of a KB takes 1 ms, its transmission 10 ms.
cat >slow.xml <<'END'
<machine name="slow" master="node[0]">
  <host name="node" count="3" cpus="1" factor="1" init="2" spawn="50" receive="0.5" packing="0"/>
  <send from="node" to="node" k="8" d="2"/>
  <transmission from="node" to="node" k="99" d="1"/>
</machine>
END

try "$PORTOLAN" clue run -m slow.xml --share --no-trial --quiet -n 1 -- "$everything"
gives 'a master and its workers use all of PVM' 0 '^exit 0'
cp out virtual

# A real daemon, with folders of its own.
mkdir -p home/pvm3/bin/LINUX64
ln -s "$(command -v pvmgs)" home/pvm3/bin/LINUX64/pvmgs
export PVM_ALLOW_ROOT=1 HOME="$work/home" PVM_TMP="$work" TMPDIR="$work"
pvmd -nlocalhost >pvmd.out 2>&1 &
pvmd=$!
trap 'kill $pvmd 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do
    grep -q pvmtmp pvmd.out && break
    timeout 0.1 tail -f /dev/null
done
if grep -q pvmtmp pvmd.out; then
    try timeout 60 "$everything"
    sed -n '/^spawned/,$p' out | grep -v '^$' >real
    cmp -s real virtual
    result 'under a real pvmd they print the same' $?
    echo halt | pvm >/dev/null 2>&1
else
    tests_run=2
    echo 'ok 2 - # SKIP pvmd does not start here'
fi

# Both messages are sent one after the other (1 ms each; the second one is on its way at 2 ms); 10 ms later
# it is there, 50 us to receive it, 200 us to answer, 100 us on the way, 50 us to receive that: 12.4 ms.
try "$PORTOLAN" clue run -m slow.xml --compute none --no-trial --quiet -n 1 -- "$farm" 2
gives 'delays add up' 0 '^12400 us$' '^worker 0 on node\[1\]$' '^worker 1 on node\[2\]$'
try "$PORTOLAN" clue run -m slow.xml --compute none --share --no-trial --quiet -n 1 -- "$farm" 2 'node[1]'
gives 'tasks go to the host that is named' 0 '^worker 0 on node\[1\]$' '^worker 1 on node\[1\]$'
try "$PORTOLAN" clue run -m slow.xml --compute none --no-trial --quiet -n 1 -- "$farm" 1 elsewhere
gives 'a host that is not there is told by its code' 0 '^0 us$'
try "$PORTOLAN" clue run -m slow.xml --compute none -n 1 -- "$farm" 2
gives 'the report counts tasks that were spawned' 0 '3 ranks on 3 of 3 hosts'

# Names that pvm3.h does not have, but programs use.
cat >names.c <<'END'
#include <pvm3.h>
#include <stdio.h>
#include <sys/time.h>
extern int pvm_errno;
int main(void)
{
    struct timeval from, to;
    pvm_mytid();
    pvmgetclock(&from);
    pvmsleep(3000);
    pvmgetclock(&to);
    printf("slept %ld s, error %d", (long)(to.tv_sec - from.tv_sec), lpvmerr("pvm_mine", PvmNoBuf));
    printf(" %d\n", pvm_errno);
    pvm_addmhf(-1, 7, 3, lpvmerr);
    pvmdisplaymhfinfo("names", "at the end", pvm_mytid());
    pvm_exit();
    return 0;
}
END
cc -w -o names names.c -lpvm3 || exit 99
try "$PORTOLAN" clue run -m slow.xml --compute none --no-trial -n 1 -- ./names
gives 'names of the library without a prototype' 0 '^slept 3000 s, error -15 -15$' '^libpvm .t[0-9a-f]+.: pvm_mine.*: No current buffer$' \
    '^names t[0-9a-f]+: at the end: 1 message handlers$' '^names t[0-9a-f]+: handler 1: source tffffffff, tag 7, context 3$'
