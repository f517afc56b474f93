#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Mistakes of a newcomer's first hour. Each is a line: the exit status, the command, and words that the
# answer must have: the place, the cause, and what would be right. A report of a bad message adds a line.
. "$(dirname "$0")/tap.sh"

examples=$(cd "$(dirname "$0")/../examples" && pwd)
mkdir "$work/here"
cd "$work/here" || exit 1
cp "$examples/heat/plate.xml" "$examples/heat/plate.inp" .
sed 's/class="heat.Driver"/clas="heat.Driver"/' plate.xml >attribute.xml
sed 's/<connect /<conect /' plate.xml >element.xml
sed 's/heat.Cholmod"/heat.Cholmad"/' plate.xml >class.xml
sed 's/uses="solver"/uses="solve"/' plate.xml >port.xml
sed 's/provider="solver"/provider="solvr"/' plate.xml >provider.xml
head -12 plate.xml >cut.xml
echo hello >text.xml
: >empty.xml
echo hello >text.db
mkdir folder

cat >../list <<'END'
2 portolan mesure plate.xml => unknown command 'mesure'; did you mean 'measure'
2 portolan --set n=8 run plate.xml => '--set' is no command; options come after it, as in: portolan run --set
2 portolan run => which assembly? name its XML file
1 portolan run plat.xml => plat.xml: No such file or directory; did you mean 'plate.xml'
1 portolan check folder => folder: cannot read: Is a directory
1 portolan check attribute.xml => attribute.xml:8:[0-9]*: error: unknown attribute 'clas' in <instance>; did you mean 'class'
1 portolan check element.xml => element.xml:[0-9]*:[0-9]*: error: .*conect.*; did you mean 'connect'
1 portolan check class.xml => class.xml:[0-9]*: error: instance 'solver': unknown class 'heat.Cholmad'; did you mean 'heat.Cholmod'
1 portolan check port.xml => port.xml:[0-9]*: error: instance 'driver': class 'heat.Driver' has no uses port 'solve'; did you mean 'solver'
1 portolan check provider.xml => provider.xml:[0-9]*:.* error: .*'solvr'.*did you mean 'solver'
1 portolan check cut.xml => cut.xml:[0-9]*:[0-9]*: error: the file ends inside <instance>, which begins on line 8
1 portolan check text.xml => text.xml:1:1: error: not well-formed XML: Start tag expected
1 portolan check empty.xml => empty.xml:1:1: error: not well-formed XML: Document is empty
2 portolan run -n 4 plate.xml => ranks are started by the launcher: mpiexec.*-n 4 portolan run
2 portolan run plate.xml text.xml => one assembly at a time, but 'text.xml' was also given
2 portolan run --fixd plate.xml => unrecognized option '--fixd'; did you mean '--fixed'
1 portolan run --path /nowhere plate.xml => '/nowhere' does not exist: build the components first .make.
1 portolan run --set n=abc plate.xml => value 'abc' for parameter 'n' of 'driver' is not a whole number
1 portolan run --set nn=12 plate.xml => --set nn: no instance of 'plate.xml' has this parameter; did you mean 'n'
1 portolan run --set driver.nn=12 plate.xml => instance 'driver' is given no parameter 'nn'; did you mean 'n'
1 portolan run --set drivr.n=12 plate.xml => has no instance 'drivr'; did you mean 'driver'
2 portolan run --set n plate.xml => --set needs INSTANCE.PARAMETER=VALUE, not 'n'
1 portolan run --select solver=heat.Cholmodd plate.xml => 'heat.Cholmodd' is not an alternative of instance 'solver'; did you mean 'heat.Cholmod'
1 portolan run --select solvr=heat.Cholmod plate.xml => has no instance 'solvr'; did you mean 'solver'
2 portolan run --explore much plate.xml => --explore needs on, off or a share of the time, 0 to 1, not 'much'
2 portolan measure --budget soon plate.xml => --budget needs a number of seconds, not 'soon'
1 portolan measure --case big plate.xml => assembly 'plate' lists no cases
1 portolan optimize plate.xml => store 'portolan.db': cannot be read: No such file or directory; `portolan measure` and `run` make it
1 portolan explain plate.xml => `portolan measure` and `run` make it
1 portolan report plate.xml => `portolan measure` and `run` make it
2 portolan report => name a store or an assembly's XML file
2 portolan report --html plate.xml => --html needs the name of the page, too: --html page.html plate.xml
1 portolan report text.db => text.db
1 portolan profile text.db => text.db
1 portolan trials --store folder => folder
2 portolan compare 1 => which trials? name two sets, for instance: 1-5 6-10
2 portolan model lst plate.xml => unknown view 'lst'; did you mean 'list'
2 portolan export => name a format: --format=FORMAT
2 portolan export --format=chrom => unknown format 'chrom'; the formats are: tau, csv
2 portolan new => which name? as in: portolan new smoother
1 portolan new component my.Solver --provides solver:my.Port => this folder is no project: .* portolan new NAME
1 portolan sidl solver.sidl => solver.sidl: No such file or directory
2 portolan proxygen solver.h => which port? name it with --port TYPE
125 portolan wrap ./program => which functions? name them, as in: portolan wrap --functions
1 portolan control x.txt => is one running that was started with `portolan run --control x.txt`
2 portolan watch => which assembly
END
has_wing hercule && cat >>../list <<'END'
2 portolan diagnose => what shall be diagnosed? name an assembly, a trace
1 portolan diagnose nothing.xml => nothing.xml cannot be read: No such file or directory
1 portolan diagnose -- ./program => cannot run './program': No such file or directory
1 portolan diagnose -p geometri text.xml => no paradigm 'geometri'; did you mean 'geometric'
END
has_wing clue && cat >>../list <<'END'
2 portolan clue rum => unknown command 'rum'; did you mean 'run'
2 portolan clue run => which program? name it after the options
1 portolan clue run -m machine.xml -- true => machine.xml: cannot open: No such file or directory
END

plan $(($(wc -l <../list) + 1))
before=$(ls)
while read -r wanted command; do
    words=$(printf '%s' "${command#* => }" | sed 's/?/[?]/g')
    command=${command%% => *}
    # shellcheck disable=SC2086 # words of a command
    try "$PORTOLAN" ${command#portolan }
    gives "$command" "$wanted" "$words"
    rm -f x.txt # the commands stay for a program that starts later: portolan-control(1)
done <../list
after=$(ls)
[ "$after" = "$before" ]
result 'no mistake leaves a file' $?
