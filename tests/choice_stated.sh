#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What an implementation costs that was never measured, a file beside the assembly may say.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'hundreds of processes, which run elsewhere with sanitizers'
plan 39

# law FILE UNIT CONSTANT NAME [QUALITY]: CONSTANT times NAME.
law() {
    cat >"$work/$1" <<END
<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="urn:portolan:model:1" name="solve" unit="$2" quality="${5:-time}">
<parameter name="$4"/>
<function><math xmlns="http://www.w3.org/1998/Math/MathML"><lambda><bvar><ci>$4</ci></bvar>
<apply><times/><cn>$3</cn><ci>$4</ci></apply></lambda></math></function>
<fit family="power" weighting="relative" constants="non-negative" rows="0" points="0" outliers="0"/>
<error sigma="0.02" assumed="false" dof="10"/>
</model>
END
}

# state CLASS FILE [ATTRIBUTES]: that alternative has a model.
state() {
    sed "s#<alternative class=\"choice.$1\">#&<model file=\"$2\" $3/>#" "$assembly" >"$work/new" &&
        mv "$work/new" "$assembly"
}

sweep='vary n 100 200 400 800
set steps 4'

# Of Fast nothing is known but the file, in whatever unit.
study told 'Safe us=3' "$sweep"
measure
for unit in '1e-6 s' '1e-3 ms' '1 us' '1e3 ns'; do
    study told 'Safe us=3
Fast us=1' "$sweep"
    law fast.xml "${unit#* }" "${unit% *}" n
    state Fast fast.xml 'method="solve"'
    optimize n=300
    chooses "${unit#* }: it is chosen" Fast 'from model files, not measured: solver=choice.Fast'
    predicts 'by what the file says' 1.2e-3 0.01
done
model
gives 'its model is shown with the others' 0 'choice.Fast .*fast.xml' 'choice.Safe '
law fast.xml s 1e-6 driver.n
optimize n=300
chooses 'parameters of the sweep will do' Fast
predicts 'likewise' 1.2e-3 0.01
law fast.xml s 1e-5 n
optimize n=300
chooses 'one that is slow is not chosen' Safe 'choice.Fast +12 ms +[+]233 %'

state Fast fast.xml 'method="slove"'
optimize n=300
gives 'a method that nobody calls is told' 0 "told.xml:[0-9]+: <model> names method 'slove', which no trial calls"
study told 'Safe us=3
Fast us=1' "$sweep"
state Fast fast.xml 'method="solve"'

# Measuring beats it.
law fast.xml s 1e-6 n
run n=300
swaps 'a run swaps to it' '0 Safe Fast'
optimize n=300
chooses 'now it was measured' Fast
lacks 'and its file is silent' 'from model files'
law fast.xml s 1e-9 n
optimize n=300
predicts 'whatever it says' 1.2e-3 0.01

study lying 'Safe us=3' "$sweep"
measure
study lying 'Safe us=3
Fast us=30' "$sweep"
law fast.xml s 1e-6 n
state Fast fast.xml
run n=300 steps=40
gives 'a run with a file that lies' 0
swaps 'goes back as soon as it was measured' '0 Safe Fast, 2 Fast Safe'
optimize n=300
chooses 'and does not fall for it again' Safe
optimize n=600
chooses 'nor where it was not measured' Safe

# What another store knows.
study vendor 'Fast us=1 exponent=1.5' 'vary n 100 200 400 800 1600
set steps 4'
measure
try "$PORTOLAN" model show --by=contexts --method='solver.solve' --emit=xml "$work/vendor.db"
gives 'a model of another store' 0 'unit="ns"'
cp "$work/out" "$work/vendor-fast.xml"
study there 'Safe us=30' "$sweep"
measure
study there 'Safe us=30
Fast us=1 exponent=1.5' "$sweep"
state Fast vendor-fast.xml
optimize n=400
chooses 'is believed here' Fast
predicts 'and right' 32e-3 0.01
mkdir elsewhere
for to in chosen.xml elsewhere/chosen.xml; do
    try "$PORTOLAN" optimize --set=driver.n=400 -o "$to" "$assembly"
    try "$PORTOLAN" optimize --store="$store" --set=driver.n=400 "$to"
    gives "$to finds it, too" 0 '^  solver +choice.Fast ' 'from model files'
done

# Where an accuracy is wanted, one must be known.
study exact 'Safe us=3' "$sweep" 'accuracy="1e-6"'
measure
study exact 'Safe us=3
Fast us=1' "$sweep" 'accuracy="1e-6"'
law fast.xml s 1e-6 n
state Fast fast.xml
optimize n=300
never 'not without its accuracy' Fast
law good.xml 1 1e-12 n accuracy
state Fast good.xml
optimize n=300
chooses 'with one that will do' Fast
law good.xml 1 1e-3 n accuracy
optimize n=300
chooses 'not with one that will not' Safe 'accuracy 0.3 '

# What is spent once.
study once 'Safe us=3' "$sweep"
measure
study once 'Safe us=3
Fast us=1' "$sweep"
law fast.xml s 1e-6 n
state Fast fast.xml
law setup.xml s 1e-4 n setup
state Fast setup.xml
optimize n=300 steps=10
chooses 'set-up of 30 ms is too much for 10 steps' Safe 'choice.Fast +33 ms '
optimize n=300 steps=100
chooses 'and little for 100' Fast

# A bound of memory.
study room 'Safe us=3
Fast us=1' "$sweep" 'memory="1e6"'
sed 's#<alternative class="choice.Fast"#& memory="8 * driver.n * driver.n"#' "$assembly" >new && mv new "$assembly"
measure
optimize n=300
chooses 'it fits' Fast '^memory: +7.2e\+05 bytes on each rank of 1e\+06 allowed'
optimize n=400
chooses 'it does not fit' Safe 'not choice.Fast: it needs 1.28e\+06 bytes'
run n=400
swaps 'nor does a run swap to it' ''
sed 's#memory="8 #memory="8 x #' "$assembly" >new && mv new "$assembly"
try "$PORTOLAN" check "$assembly"
gives 'a formula that is none' 1 'room.xml:[0-9]+(:[0-9]+)?: error: '

# Errors by line.
study exact 'Safe us=3
Fast us=1' "$sweep" 'accuracy="1e-6"'
state Fast fast.xml
state Fast good.xml
law fast.xml s 1e-6 rows
optimize n=300
gives 'a parameter that nobody knows' 1 "exact.xml:[0-9]+: error: 'rows' of '.*fast.xml' is neither a context of solver.solve"
law fast.xml furlong 1e-6 n
optimize n=300
gives 'no unit of time' 1 "fast.xml:1: error: .*'furlong'.*s, ms, us or ns"
sed '5d' "$work/good.xml" >"$work/fast.xml"
try "$PORTOLAN" check "$assembly"
gives 'no model' 1 'fast.xml:[0-9]+(:[0-9]+)?: error: '
rm "$work/fast.xml"
try "$PORTOLAN" check "$assembly"
gives 'no file' 1 'exact.xml:[0-9]+:[0-9]+: error: .*fast.xml: cannot open'
