#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Users, the assembly, another component and a program tell the Optimizer what may run: the clock
# moves only when told, and commands are given between two steps.
#
# At x = 1 a step costs, in ms: A1 2, A2 1, B1 1, B2 2; at x = 3: A1 6, A2 9, B1 27, B2 18.
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 99
plan 30
export work

# The paper's assembly, with a script between the swap point and the Mastermind.
paper=$BUILD/examples/paper
sed -e "s#<path dir=\".\"/>#<path dir=\"$paper\"/><path dir=\"$BUILD/tests/components\"/>#" \
    -e 's#<instance name="optimizer"#<instance name="script" class="command.Step"><parameter name="script" type="string" value="SCRIPT"/></instance>&#' \
    -e 's#user="swappoint" uses="mastermind" provider="mastermind"#user="swappoint" uses="mastermind" provider="script"#' \
    -e 's#<monitor instance="driver"#<connect user="script" uses="next" provider="mastermind" provides="steps"/>&#' \
    -e "s#SCRIPT#$work/script#" "$paper/paper.xml" >paper.xml
cat >begin <<'END'
step=$1
cd "$work" || exit 1
control() {
    "$PORTOLAN" control "$work/ctl" "$@" >>answers 2>&1
}
[ "$step" != 0 ] || control explore off
END

# steer RANKS OPTION...: eight steps at x = 1 with the script from standard input.
steer() {
    ranks=$1
    shift
    { cat begin - && echo 'exit 0'; } >script
    rm -rf answers ctl* steer.db
    store=$work/steer.db
    try "$MPIEXEC" -n "$ranks" "$PORTOLAN" run --store="$store" --set x=1 --set sequence='' \
        --control="$work/ctl" "$@" paper.xml
}

# ran NAME INSTANCE CLASSES: what rank 0 called of an instance, step by step.
ran() {
    stored "$1" "$3" "SELECT group_concat(implementation, ' ') FROM
        (SELECT substr(implementation, 7) AS implementation FROM sample
         WHERE instance = '$2' AND rank = 0 AND step BETWEEN 0 AND 7 ORDER BY step)"
}

for ranks in 1 2; do
    steer $ranks <<'END'
case $step in
1) control pin a=paper.A2 ;;
3) control undo ;;
5) control 'forbid b=paper.B1; release a' ;;
6) control pin a=paper.A3; control forbid e=paper.A1; control pin a; control explore much ;;
7) control forbid b=paper.B2 ;;
esac
END
    gives "$ranks rank(s): a run that is steered ends well" 0 \
        'step 1: the control file asks: pin a=paper.A2' \
        'step 3: a paper.A2 -> paper.A1, undone by the control file' \
        "step 7: 'forbid b=paper.B2': paper.B2 is not forbidden: nothing else may run as 'b'"
    ran 'a is pinned, and goes back when that is undone' a 'A1 A2 A2 A1 A1 A1 A1 A1'
    ran 'what is forbidden is left' b 'B1 B1 B1 B1 B1 B2 B2 B2'
    stored 'the swaps tell who asked' '1 a paper.A1 -> paper.A2, pinned by the control file' \
        "SELECT step || ' ' || reason FROM swap WHERE step = 1"
    try cat answers
    gives 'commands are answered, mistakes with what there is' 0 \
        '^pin a=paper.A2: at the next swap point$' '^undo: at the next swap point$' \
        "error: 'paper.A3' is not an alternative of a; the alternatives are: paper.A1, paper.A2$" \
        "error: no instance 'e' has alternatives; the instances with alternatives are: a, b$" \
        "error: 'a' is not INSTANCE=CLASS$" "error: 'much' is neither on nor off nor a share"
done

# What cannot be had.
sed 's#<alternative class="paper.A2"/>#&<alternative class="fault.OldAbi"/>#' paper.xml >paper.tmp
cp paper.xml paper.kept && mv paper.tmp paper.xml
steer 2 <<'END'
[ "$step" != 2 ] || control pin a=fault.OldAbi
[ "$step" != 4 ] || control pin a=fault.OldAbi
END
gives 'a pinned class that does not start ends its pin' 0 \
    'step 2: the pin of a to fault.OldAbi, which the control file asked for, ends' \
    "step 4: 'pin a=fault.OldAbi': a is not pinned to fault.OldAbi: it failed to start"
ran 'the old one stays' a 'A1 A1 A1 A1 A1 A1 A1 A1'
mv paper.kept paper.xml

steer 1 --fixed <<'END'
[ "$step" != 2 ] || control pin a=paper.A2
END
try cat answers
gives 'a fixed run refuses' 0 'this run does not swap: it is fixed'

# Before the run.
cp paper.xml paper.kept
sed -i -e 's#<alternative class="paper.A2"/>#<alternative class="paper.A2" pin="yes"/>#' \
    -e 's#<alternative class="paper.B2"/>#&<alternative class="paper.B1" forbid="yes"/>#' paper.xml
steer 1 <<'END'
[ "$step" != 4 ] || control release
[ "$step" != 5 ] || control pin b=paper.B1
END
ran 'the assembly pins' a 'A2 A2 A2 A2 A2 A2 A2 A2'
ran 'and forbids, until that is released' b 'B2 B2 B2 B2 B2 B1 B1 B1'
mv paper.kept paper.xml
steer 1 --explore=off --pin a=paper.A2 --forbid b=paper.B1 </dev/null
ran 'options pin' a 'A2 A2 A2 A2 A2 A2 A2 A2'
ran 'and forbid' b 'B2 B2 B2 B2 B2 B2 B2 B2'
stored 'what was pinned is no decision for other runs' 0 'SELECT count(*) FROM decision'
try "$PORTOLAN" run --pin a=paper.A4 paper.xml
gives 'an unknown class is refused' 1 "class 'paper.A4' is not an alternative of instance 'a'"
try "$PORTOLAN" run --forbid a=paper.A1 --forbid a=paper.A2 paper.xml
gives 'something must be left' 1 "all alternatives of instance 'a' would be forbidden"
try "$PORTOLAN" run --pin a paper.xml
gives 'a pin without a class is wrong usage' 2 '--pin needs INSTANCE=CLASS'
try "$PORTOLAN" run --explore=much paper.xml
gives 'and so is a share that is none' 2 '--explore needs on, off or a share'

# The choice keeps to it.
store=$work/measured.db
try "$PORTOLAN" measure --repeat=1 --store="$store" "$paper/paper.xml"
try "$PORTOLAN" optimize --store="$store" --set x=1 --set sequence= --pin a=paper.A1 \
    --forbid b=paper.B1 "$paper/paper.xml"
# 8 steps of 2 + 2 + 0.02 ms.
gives 'optimize: what is pinned, and not what is forbidden' 0 '^  a +paper.A1' '^  b +paper.B2' \
    '^predicted: +32.2 ms .*8 steps of 4.02 ms' 'another one is pinned' 'it is forbidden'
try "$PORTOLAN" check paper.xml
sed -e 's#<alternative class="paper.A2"/>#<alternative class="paper.A2" pin="yes" forbid="yes"/>#' \
    paper.xml >both.xml
try "$PORTOLAN" check both.xml
gives 'pinned and forbidden at once is a mistake' 1 'paper.A2 is both pinned and forbidden'

rm -f "$store"
try "$PORTOLAN" measure --repeat=1 --store="$store" --forbid a=paper.A2 "$paper/paper.xml"
# 5 sizes, as written and with B2.
gives 'measure: nothing that is forbidden' 0 'done: 10 trials' \
    'a=paper.A2 does not apply at 5 of 5 points: its condition is no pin or forbid that excludes it'

# A policy, and a program.
store=$work/policy.db
for x in 1 3; do
    rm -f "$store"
    try "$MPIEXEC" -n 2 "$PORTOLAN" run --store="$store" --set x=$x "$BUILD/examples/policy/policy.xml"
    gives "x = $x: a policy of one's own decides" 0 'the policy wants'
    best=$([ $x = 1 ] && echo 'paper.A2 paper.B1' || echo 'paper.A1 paper.B2')
    stored 'and ends on the best' "$best" "SELECT group_concat(implementation, ' ') FROM
        (SELECT DISTINCT instance, implementation FROM sample
         WHERE instance IN ('a', 'b') AND step BETWEEN 90 AND 99 ORDER BY instance)"
done

sed "s#dir=\"../paper\"#dir=\"$paper\"#" "$BUILD/examples/embed/steered.xml" >steered.xml
try "$BUILD/examples/embed/steered" steered.xml
gives 'a program that is no component steers' 0 '^  a +paper.A2$'
