#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ccaffeine's scripts from the command line, on one rank and on two.
. "$(dirname "$0")/tap.sh"
plan 37

components=$BUILD/framework/ccaffeine/test/components
cd "$work" || exit 99

# script NAME: standard input becomes a script with the usual head.
script() {
    {
        echo '#!ccaffeine bootstrap file.'
        echo "# ------- don't change anything ABOVE this line.-------------"
        echo "path set $components"
        cat
    } >"$1"
}

# same NAME: standard output is what standard input says, byte for byte.
same() {
    cat >expected
    cmp -s expected out || diff expected out | sed 's/^/# /'
    cmp -s expected out
    result "$1" $?
}

# occurs NAME N TEXT: the last output has TEXT so often; mpiexec may mix the ranks' lines.
occurs() {
    seen=$(cat out err | grep -oF -- "$3" | wc -l)
    [ "$seen" = "$2" ] || echo "# seen $seen times: $3"
    [ "$seen" = "$2" ]
    result "$1" $?
}

# ranks N COMMAND...
ranks() {
    n=$1
    shift
    try "$MPIEXEC" -n "$n" "$PORTOLAN" "$@"
}

script session.rc <<'END'
repository get-global script.Starter
repository get script.Printer
instantiate script.Starter starter
create script.Printer
connect starter printer \
        Printer0 printer
parameters starter CONFIG n 2
parameters start CONFIG label here it is
go starter go
links
quit
END
try "$PORTOLAN" run session.rc
gives 'a script is run' 0
same 'and says what Ccaffeine says' <<'END'
Loaded script.Starter NOW  GLOBAL .
Loaded script.Printer NOW  PRIVATE .
starter of type script.Starter 
successfully instantiated
Printer0 of type script.Printer 
successfully instantiated
starter))))printer---->printer((((Printer0
connection made successfully
------------------------------------
Instance name: starter
Port name: CONFIG
------------------------------------
New parameters:
2
------------------------------------
updated parameter starter CONFIG n
------------------------------------
Instance name: starter
Port name: CONFIG
------------------------------------
New parameters:
here it is
------------------------------------
updated parameter starter CONFIG label
here it is
1.5 seconds
1.5 seconds
##specific go command successful
Component starter of type script.Starter
 is using printer connected to Port: printer provided by component Printer0
Component Printer0 of type script.Printer

bye!
exit
END
cp session.rc any.name
try "$PORTOLAN" run --quiet any.name
gives 'a script is known by its first line, whatever its name' 0
same 'quietly, only what was asked for is shown' <<'END'
here it is
1.5 seconds
1.5 seconds
Component starter of type script.Starter
 is using printer connected to Port: printer provided by component Printer0
Component Printer0 of type script.Printer
END
ranks 2 run session.rc
gives 'the ranks run the same script' 0
occurs 'what commands show is shown once' 1 'Component starter of type'
occurs 'components speak on every rank' 4 '1.5 seconds'

# typed NUMBER: the session on that many ranks, from standard input.
typed() {
    status=0
    timeout 120 "$MPIEXEC" -n "$1" "$PORTOLAN" run --quiet /dev/stdin <session.rc >out 2>err || status=$?
}
for n in 1 2; do
    typed $n
    gives "standard input is a script on $n ranks" 0 'here it is'
done

script bad.rc <<'END'
create script.Starter starter
create script.Printer printer
connect starter prnter printer printer
go starter go
END
ranks 2 run bad.rc
gives 'a failure is told with its line, and ends the run' 1 \
    "^bad.rc:6: error: .*did you mean 'printer'"
lacks 'once, and nothing behind it is done' 'bad.rc:7|^work'
try "$PORTOLAN" run --keep-going bad.rc
gives 'or not, when told to keep going' 1 '^bad.rc:6: error' "^bad.rc:7: error: go of 'starter' failed"

printf '#!ccaffeine\n%s\n' 'create script.Starter starter' 'links' >differ.rc
try "$MPIEXEC" -n 1 "$PORTOLAN" run --keep-going --path="$components" differ.rc : \
    -n 1 "$PORTOLAN" run --keep-going differ.rc
gives 'what one rank lacks ends the script, keep going or not' 1 \
    "differ.rc:2: error: rank 1: there is no class 'script.Starter'.*nothing more is run"
lacks 'before the ranks do different things' 'Component starter'

echo 'links' >headless.rc
ranks 2 run headless.rc
gives 'a script without its first line' 1 "'headless.rc' is not a script; .*'#!ccaffeine'"

printf 'setSize 900 607\nsetDropLocation 42 68\npulldown script.Starter s\npulldown script.Printer p\n%s\n' \
    'setMaximum true
connect s printer p printer
move s 1 -2
go s go
eof
nonsense' >gui.bld
try "$PORTOLAN" run --quiet --path="$components" gui.bld
gives 'what the GUI saved is run' 0 '^work$' '^1.5 seconds$'

echo 'exit 7' | script leave.rc
try "$PORTOLAN" run leave.rc
gives 'exit gives the exit status' 7
echo 'shell echo from the shell' | script shell.rc
try "$PORTOLAN" run shell.rc
gives 'the operating system is out of reach' 1 'shell.rc:4: error: .*--allow-shell'
ranks 2 run --allow-shell shell.rc
gives 'unless it is allowed' 0 '^from the shell$'
try "$PORTOLAN" run --set a.b=c session.rc
gives 'options of assemblies are refused' 1 "'session.rc' is a script, and --set is for assemblies"

# Converting: what runs stays the same.
try "$PORTOLAN" convert session.rc session.xml
gives 'a script becomes an assembly' 0 'session.rc:4: note: .*private and at once'
try "$PORTOLAN" check session.xml
gives 'that is good' 0 'session.xml: good: 2 instances, 1 connections'
try "$PORTOLAN" run session.xml
gives 'and runs alike' 0
same 'printing the same' <<'END'
here it is
1.5 seconds
1.5 seconds
END
try "$PORTOLAN" convert session.xml again.rc
gives 'and becomes a script again' 0
cp again.rc out
same 'of the same meaning' <<END
#!ccaffeine bootstrap file. assembly=session
# ------- don't change anything ABOVE this line.-------------
path set $components
repository get script.Starter
repository get script.Printer
instantiate script.Starter starter
parameters starter CONFIG n 2
parameters starter CONFIG label here it is
instantiate script.Printer Printer0
connect starter printer Printer0 printer
go starter go
quit
END
try "$PORTOLAN" convert again.rc again.xml
cmp -s session.xml again.xml
result 'and the same assembly once more' $?

echo 'setPort x' | script wrong.rc
try "$PORTOLAN" convert wrong.rc wrong.xml
gives 'a script that cannot work becomes nothing' 1 "wrong.rc:4: error: unknown command 'setPort'"
try "$PORTOLAN" convert "$BUILD/examples/paper/paper.xml" paper.rc
gives 'what would be lost is told, and refused' 1 \
    'paper.xml:11: error: a script has no alternatives' 'not written, .*--lossy'
[ ! -e paper.rc ]
result 'and nothing is written' $?
try "$PORTOLAN" convert --lossy "$BUILD/examples/paper/paper.xml" paper.rc
gives 'unless that is wanted' 0 'paper.xml:11: warning: a script has no alternatives'

script later.rc <<'END'
create start s
go s go
create script.Printer p
move p 1 2
END
try "$PORTOLAN" convert --lossy later.rc later.xml
gives 'what is moved after the go need not be there' 0 \
    "later.rc:4: note: class 'start' is taken to be 'script.Starter'" \
    'later.rc:6: warning: an assembly ends when its go \(line 5\)' "later.rc:7: note: 'move' is left out"
try "$PORTOLAN" convert --lossy --exact later.rc later.xml
gives 'completed class names can be refused' 1 \
    "later.rc:4: error: there is no class 'start'; write 'script.Starter'"

# A go that fails on one rank while the others wait for it inside.
cat >fault.rc <<'END'
#!ccaffeine
property driver fault stuck
create fault.Driver driver
go
END
ranks 2 run --path="$BUILD/tests/components:$BUILD/examples/paper" fault.rc
gives 'whose failure on one rank is everybody'"'"'s' 1 "rank 1: go of 'driver' failed: .*go was to fail"
count 'and told once' 1 'error: '

if [ -e "$BUILD/examples/heat/plate.rc" ]; then
    cd "$BUILD/examples/heat" || exit 99
    ranks 2 run plate.rc
    gives 'the example runs' 0 'heat: 20 steps done'
else
    result 'the example runs # SKIP it was not built' 0
fi

# ---------------------------------------------------------------- large scripts

cd "$work" || exit 99
{
    echo '#!ccaffeine bootstrap file.'
    echo "# ------- don't change anything ABOVE this line.-------------"
    seq 4000 | sed 's/.*/instantiate Worker w&\ninstantiate Driver d&\nconnect d& use w& provide/'
    printf 'remove w7\ninstantiate Worker w7\nconnect d7 use w7 provide\ndisconnect d9 use w9 provide\n'
} >large.rc
try "$PORTOLAN" convert large.rc large.xml
[ "$(grep -c '<instance' large.xml) $(grep -c '<connect' large.xml)" = '8000 3999' ]
result 'a script of 8,000 instances becomes an assembly' $?
