#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `portolan clue study`: the tables of Cluster Configuration by Simulation (2000), section 5.
. "$(dirname "$0")/tap.sh"
if [ -n "${PORTOLAN_SANITIZED:-}" ]; then plan 10; else plan 16; fi

# row NAME: its numbers in the table of that TITLE, without blanks at its ends.
row() {
    sed -n "/^$1/,/^\$/p" "$work/table" | sed -n "s/^$2  *//p" | tr -s ' ' | head -1
}

try "$PORTOLAN" clue study -o "$work/wien.svg" "$SOURCE/examples/clue/wien.xml"
gives 'the study of the paper' 0 'Gigabit Class'
cp "$work/out" "$work/table"

seen=$(for c in Network Memory Fine Coarse Cheap Cheapest; do row Configurations $c | cut -d' ' -f1; done | tr '\n' ' ')
[ "$seen" = '6 6 7 7 10 15 ' ]
result "nodes of its Table 1 ($seen)" $?

seen=$(sed -n '/^What they reach/,/^$/p' "$work/table" | sed 1,2d | awk 'NF {printf "%s ", $5}')
[ "$seen" = '0 0 6 1 0 1 4 2 3 0 ' ]
result "column Empty of its Table 2 ($seen)" $?

seen=$(for c in Cheap Cheapest Network Memory Coarse Fine; do row Points $c | cut -d' ' -f1-4; done | tr '\n' ';')
[ "$seen" = '100 45 50 195;85 32 46 163;60 50 41 151;60 40 39 139;40 22 27 89;40 21 21 82;' ]
result "its Table 3, with 21 where it prints 22 ($seen)" $?

gives 'faster processors let the fast network win, as it says' 0 'processors [0-9.]* times as fast: Network'
sed 's/budget="300000"/budget="10"/' "$SOURCE/examples/clue/wien.xml" >"$work/poor.xml"
try "$PORTOLAN" clue study "$work/poor.xml"
[ "$status" = 1 ] && [ "$(grep -c 'is not affordable' "$work/err")" = 6 ] && ! grep 'there is no' "$work/err"
result 'each configuration that the budget does not buy is told once' $?
grep -q '<svg' "$work/wien.svg" && grep -q Cheapest "$work/wien.svg"
result 'time over price is drawn' $?

try "$PORTOLAN" clue study --json "$SOURCE/examples/clue/wien.xml"
gives 'all of it is there for programs' 0 '"name": ?"Cheap", "nodes": ?10'

cat >"$work/bad.xml" <<'END'
<study name="bad" budget="100">
  <node price="30" memory="1GB"/>
  <network name="n"/>
  <configuration name="c" memory="1GB" network="m"/>
  <configuration name="d" memory="1XB" network="n"/>
</study>
END
try "$PORTOLAN" clue study "$work/bad.xml"
gives 'mistakes are told on their lines' 1 "bad.xml:4:[0-9]+: error: there is no network 'm'; did you mean 'n'" \
    "bad.xml:5:[0-9]+: error: 'memory' is '1XB'; it must be a size" '[0-9] errors in '
try "$PORTOLAN" clue study
gives 'a study is needed' 2 'the file of a study is missing'

# The kernels, simulated. Programs sleep for the time of a processor of 300 Mflop/s: no clock of this
# machine counts.
kernels=$BUILD/examples/clue
[ -z "${PORTOLAN_SANITIZED:-}" ] || exit 0 # ranks are folded

try "$PORTOLAN" clue run -m "$SOURCE/examples/clue/machines/cheap.xml" -n 4 --no-trial --quiet -- \
    "$kernels/cholesky" 101 7 2 2
gives 'Cholesky on 2 x 2 folded processes computes the factor' 0 'n=101 on 2 x 2: .*error 0$'
try "$PORTOLAN" clue run -m "$SOURCE/examples/clue/machines/cheap.xml" -n 6 --no-trial --quiet -- \
    "$kernels/tridiagonal" 101 7 2 3
gives 'the tridiagonal matrix has the eigenvalues of the whole one' 0 'n=101 on 2 x 3: .*error [0-9]e-1[4-9]$'

# rate MACHINE P Q: Mflop/s of Cholesky, in whole numbers.
rate() {
    "$PORTOLAN" clue run -m "$SOURCE/examples/clue/machines/$1.xml" -n $(($2 * $3)) --share --no-trial --quiet \
        --compute none -- "$kernels/cholesky" 2000 32 "$2" "$3" 300 2>&1 |
        sed -n 's/.* s, \([0-9]*\).*Mflop.*/\1/p'
}
for machine in cheap gigabit-class; do
    best=$(rate $machine 2 2) nine=$(rate $machine 3 3) good=0 seen=
    for grid in '1 3' '1 4' '1 5'; do
        r=$(rate $machine $grid)
        seen="$seen $grid: $r;"
        [ "${r:-99999}" -lt "${best:-0}" ] || good=1
    done
    for grid in '2 4' '1 9' '9 1'; do
        r=$(rate $machine $grid)
        seen="$seen $grid: $r;"
        [ "${r:-99999}" -lt "${nine:-0}" ] || good=1
    done
    result "square grids are the best, as in its Figure 5 ($machine, 2 2: $best; 3 3: $nine;$seen)" $good
done

cd "$kernels" || exit 99
sed -e 's/cholesky 6000 64 0 0 600/cholesky 1024 64 0 0 300/' -e 's/tridiagonal 1500 32 0 0 150/tridiagonal 512 32 0 0 300/' \
    "$SOURCE/examples/clue/kernels.xml" >"$work/kernels.xml"
ln -s "$SOURCE/examples/clue/machines" "$work/machines"
try "$PORTOLAN" clue study -r compute=none "$work/kernels.xml"
gives 'of small matrices the fast network is the best: programs run on the machine of each configuration' 0 \
    '^Network +50 +50 +100 +1$' '^Cheap +3 +6 +18 +2 '

"$PORTOLAN" clue run -m "$SOURCE/examples/clue/machines/cheap.xml" -n 4 --compute none --no-trial --quiet \
    --record "$work/run" -- ./cholesky 512 32 2 2 300 >/dev/null 2>&1
cat >"$work/record.xml" <<END
<study name="record" budget="300000">
  <node price="20000" memory="128MB"/>
  <network name="fast ethernet" machine="machines/cheap.xml"/>
  <network name="gigabit" price="20000" machine="machines/gigabit-class.xml"/>
  <configuration name="slow" memory="128MB" network="fast ethernet"><variant high="1" low="4"/></configuration>
  <configuration name="fast" memory="128MB" network="gigabit"><variant high="1" low="4"/></configuration>
  <workload name="w" record="$work/run"/>
</study>
END
try "$PORTOLAN" clue study "$work/record.xml"
gives 'a record takes the place of the program' 0 '^fast +100 +100 +1$' '^slow +[1-9][0-9] +[1-9][0-9] +2$'
