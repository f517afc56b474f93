#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Wrong usage exits 2 and says what would be right; help and version go to standard output.
. "$(dirname "$0")/tap.sh"
plan 19

try "$PORTOLAN"
gives 'no command is wrong usage' 2 '^Usage: portolan COMMAND'
try "$PORTOLAN" --version
gives 'version' 0 '^portolan [0-9]+\.[0-9]+\.[0-9]+$'
try "$PORTOLAN" --help
gives 'help lists the commands by the question that they answer' 0 '^Write: .*\?$' '^  proxygen .*timing proxy' \
    '^Measure: .*\?$' '^  measure .*alternatives' '^Choose: .*\?$' '^Explain: .*\?$' '^Cluster: .*\?$'
try "$PORTOLAN" optimise x.xml
gives 'a misspelt command gets a suggestion' 2 "unknown command 'optimise'; did you mean 'optimize'"
if has_wing clue; then
    skip_checks 1 'this build has all wings'
else
    try "$PORTOLAN" clue run
    gives 'a command of a wing that is not built' 1 'portolan clue: error: this Portolan was built without it'
fi
try "$PORTOLAN" check
gives 'a missing argument' 2 'which assembly'
try "$PORTOLAN" check --frob a.xml
gives 'an unknown option' 2 'unrecognized option'
try "$PORTOLAN" check "$work/none.xml"
gives 'a missing file' 1 'none.xml' 'No such file'
try "$PORTOLAN" run --set novalue "$work/none.xml"
gives 'a setting without a value' 2 'INSTANCE.PARAMETER=VALUE'

try "$PORTOLAN" sidl --server=Pascal "$work/none.sidl"
gives 'an unknown language' 2 "unknown language 'Pascal'; use C, C\+\+ or F03"
try "$PORTOLAN" sidl --generate-hooks "$work/none.sidl"
gives 'hooks without a server' 2 'needs --server'
echo 'package p version 1.0 { class C { void f(); } }' >"$work/p.sidl"
try "$PORTOLAN" sidl --list --server=c "$work/p.sidl" -o "$work/p"
gives 'outputs are listed, not written' 0 '^p_C_Impl.c$' '^babel.make$'

try "$PORTOLAN" proxygen "$work/x.h" --port x --front
gives 'a front without functions' 2 'go with --functions'
echo 'struct x { int (*step)(struct x *self); };' >"$work/x.h"
try "$PORTOLAN" proxygen "$work/x.h" --port y -o "$work/proxy"
gives 'a port that is not there' 1 'x.h:1: error: there is no struct.*did you mean' '1 problem'
try "$PORTOLAN" proxygen "$work/x.h" --port x -o "$work/proxy"
gives 'what is intercepted' 0 '1 of 1 methods intercepted' 'step +intercepted'
try "$PORTOLAN" proxygen "$work/x.h" --port x -o "$work/proxy" -- -o "$work/other"
gives 'an option of ours behind --' 0 "warning: '-o' after '--' is passed to the compiler"

try sh -c '"$PORTOLAN" draw --text "$BUILD/examples/paper/paper.xml" >/dev/full'
gives 'output that cannot be written is no success' 1 'cannot write'
mkdir "$work/beside"
cp "$BUILD/examples/paper/paper.xml" "$work/beside"
echo '<assembly name="half' >"$work/beside/spoilt.xml"
try "$PORTOLAN" check --path="$BUILD/examples/paper" "$work/beside/paper.xml"
gives 'a spoilt assembly spoils none beside it' 0 'paper.xml: good'

# Every option that --help names is in the manual.
missing=''
for command in call check control convert doctor draw explain link llac run measure profile trials compare model optimize predict report \
    sidl proxygen wrap export import obsp trace diagnose 'model list' 'model show' 'model plot' 'model compare' 'model fit' \
    new 'new port' 'new component' 'new assembly' 'clue run' 'clue calibrate' 'clue check' 'clue study'; do
    for option in $("$PORTOLAN" $command --help | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u); do
        case $option in --help | --usage | --version) continue ;; esac
        page=$SOURCE/docs/portolan.1
        case $command in
        trials | compare) page=$SOURCE/docs/portolan-profile.1 ;;
        import) page=$SOURCE/docs/portolan-export.1 ;;
        model*) page=$SOURCE/docs/portolan-model.1 ;;
        new*) page=$SOURCE/docs/portolan-new.1 ;;
        clue*) page=$SOURCE/docs/portolan-clue.1 ;;
        esac
        [ -f "$SOURCE/docs/portolan-$command.1" ] && page=$SOURCE/docs/portolan-$command.1
        grep -q "\\\\&-${option#--}\\b" "$page" ||
            missing="$missing $command:$option"
    done
done
status=0
[ -z "$missing" ] || echo "# not in the manual:$missing"
[ -z "$missing" ]
result 'the manual names every option' $?
