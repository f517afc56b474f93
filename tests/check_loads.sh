#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `check` refuses what `run` would not load, with the file and the remedy, and says when an Optimizer
# has nothing to do.
. "$(dirname "$0")/tap.sh"
plan 20

components=$BUILD/tests/components
assembly=$components/fault.xml
cd "$work" || exit 99

check() {
    try "$PORTOLAN" check --path="$work/own:$components:$BUILD/examples/paper" "$@"
}

# refused NAME CLASS PATTERN...: an assembly with this class is, by `check` and by `run`.
refused() {
    name=$1 class=$2
    shift 2
    sed "s/class=\"fault.Slow\"/class=\"$class\"/; /<alternative/d; /user=\"f\" uses=\"work\"/d" \
        "$assembly" >"$class.xml"
    check "$class.xml"
    gives "$name" 1 "^$class.xml:7: error: class '$class': " "$@"
    try "$PORTOLAN" run --fixed --store=run.db --path="$work/own:$components:$BUILD/examples/paper" "$class.xml"
    gives 'a run agrees' 1 "$@"
}

# own CLASS: one of a file in C, from the standard input.
mkdir own
own() {
    cc -shared -fPIC -x c - -o "own/$1.so"
    sed "s/fault.Missing/own.$1/; s/no_such_file/$1/" "$components/fault.Missing.xml" >"own/own.$1.xml"
}

check "$assembly"
gives 'what a run loads is good' 0 'good: 6 instances'
lacks 'and the Optimizer has something to do' notice
refused 'a plug-in that is not compiled' fault.Missing 'no shared object .*no_such_file.so; build or install it'
refused 'a file that is no shared object' fault.Text 'cannot load .*; rebuild it'
refused 'a foreign shared object' fault.Foreign "exports no 'portolan_component_fault_Foreign'; export"
refused 'a component of another ABI' fault.OldAbi 'built for component ABI [0-9]+, .*; rebuild it'
own undefined <<END
int no_such_function(void);
int call(void) { return no_such_function(); }
END
refused 'undefined symbols' own.undefined 'undefined symbol: no_such_function; .*install what it'

own fatal <<END
#include <stdlib.h>
__attribute__((constructor)) static void end(void) { abort(); }
END
sed 's/fault.Slow/own.fatal/; /<alternative/d; /user="f" uses="work"/d' "$assembly" >fatal.xml
check fatal.xml
gives 'a plug-in whose constructor ends the process' 1 \
    "^fatal.xml:7: error: class 'own.fatal': to load .*fatal.so ends the process by Aborted"

mkdir other
sed 's/library="[^"]*"/library="speak_other.so"/' "$components/speak.Ring.xml" >other/speak.Ring.xml
ln -s "$components/speak_other.so" "$components/libother_mpi.so" other
try "$PORTOLAN" check --path=other "$SOURCE/tests/components/ring.xml"
gives 'a component of another MPI' 1 'ring.xml:[0-9]+: error: .*speak_other.so is linked with another MPI, '

sed 's/<alternative class="fault.Fast"/<alternative class="fault.Missing"/' "$assembly" >alternative.xml
check alternative.xml
gives 'an alternative that is not compiled' 1 "alternative.xml:8: error: class 'fault.Missing': "
check --forbid=f=fault.Missing alternative.xml
gives 'it may be if it is forbidden' 0 good

proxy=$BUILD/examples/paper/paper_FunctionProxy.xml
cp "$proxy" own
check "$assembly"
gives 'a proxy that is not compiled' 1 "fault.xml:16: error: class '.*Proxy': there is no shared object"
rm own/paper_FunctionProxy.xml

# notice NAME EDIT PATTERN: of the assembly after this edit by sed.
notice() {
    sed "$2" "$assembly" >idle.xml
    check idle.xml
    gives "$1" 0 "^idle.xml:1[45]: notice: 'optimizer' would never swap anything: $3" good
}
notice 'an Optimizer without alternatives' '/<alternative/d' 'no instance has an <alternative>'
notice 'one that no swap point calls' '/provides="steps"/{/"optimizer"/d}' "nothing calls its port 'steps'"
notice 'one whose swap point nobody calls' 's|<instance name="swappoint"|<instance name="idle" class="portolan.SwapPoint"/>&|
    /uses="optimizer"/s/user="swappoint"/user="idle"/' 'no component uses the swap point'
