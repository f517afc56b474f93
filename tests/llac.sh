#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan llac: the paper's Table 1, a session worked out by hand, failures by line and column,
# files in and out, plots, and a terminal.
. "$(dirname "$0")/tap.sh"
plan 44

here=$SOURCE/tests/llac
cd "$work" || exit 99
mkdir home
HOME=$work/home XDG_STATE_HOME=$work/state TERM=vt100
unset EDITRC
export HOME XDG_STATE_HOME TERM

llac() {
    try "$PORTOLAN" llac "$@"
}

# fails NAME PLACE-AND-TEXT COMMANDS: they end with 1 and that failure.
fails() {
    llac -e "$3"
    gives "$1" 1 "^$2"
}

# ------------------------------------------------------------------------------------- Table 1

llac "$SOURCE/examples/llac/table1.llac"
gives "the paper's Table 1 is reproduced, its errors too" 0 \
    '^PROCS +TIME +OBSP +ERROR %$' '^ +1 +11.7748 +11.8096 +-0.30$' '^ +2 +6.0036 +5.8943 +1.82$' \
    '^ +4 +3.2120 +3.0908 +3.77$' '^ +8 +1.8939 +1.7735 +6.36$' '^ +32 +0.9664 +0.8919 +7.71$' \
    '^mean of absolute errors 4.77 %$'
# The errors of the second and third comparison: 12 lines, the processors in front.
grep -E '^PROCS|^ +[0-9]+ +[0-9.]+ +[0-9.]+ +-?[0-9.]+( |$)' out |
    awk '/^PROCS/ { table++; next } table > 1 { print table, $1, $4 }' | head -12 >errors
[ "$(wc -l <errors)" = 12 ] && awk '{ e = $3 < 0 ? -$3 : $3; if (e > 1) exit 1 }' errors
result 'fitted to all, and to 1, 2 and 4 alone, the formula is within 1 % of all six' $?
count 'the condition number is said' 2 '; condition number [0-9.e+]+|; condition number inf'
count 'and what is outside the range is marked' 5 '! outside: P was measured up to 4'
cp out table1.out
formula='fft[0] + fft[1]*log(P) + fft[2]*(N/P)*log(N/P) + fft[3]*N*(P-1)/P negative'
llac -e "load $SOURCE/examples/llac/table1.csv; N = 2^21; m = fit table1 as $formula; compare m"
gives 'left free, constants are negative, for a mean error of 0.23 %, as a survey found' 0 \
    'fft\[0\] +-0' '^mean of absolute errors 0.23 %'
llac -e "load $SOURCE/examples/llac/table1.csv; N = 2^21
    m = fit table1 as $formula absolute; compare m"
gives 'and 0.29 % by absolute errors' 0 '^mean of absolute errors 0.29 %'

# ------------------------------------------------------------------------------------- session

llac "$here/session.llac"
sed -i "s,from $here/,from ," out
diff "$here/session.expected" out | sed 's/^/# /'
cmp -s "$here/session.expected" out
result 'a session shows what a hand works out' $?

llac -e "load $here/exchange.cll.dat; save D G to a.json; save D G to a.dat
    forget all; load a.json a.dat; rows D where size == 100 drop RUN; show"
gives 'tables become reports in two forms, which are merged again' 0 '^D: 16 rows' '^G: 4 rows'
count 'row by row' 2 '^ +1 +2 +100 +0.006$'
llac -e "load $here/exchange.cll.dat; save D to d.csv
    save D drop CPU, NCPUS to d.txt; e = load d.csv; rows e; t = load d.txt; rows t where size > 100"
gives 'and CSV and the text of Extra-P, and come back' 0 '^e: 8 rows' '^t: 8 rows' \
    '^  1      2   200      0.004$'
xmllint --noout --relaxng "$SOURCE/models/model.rng" table1.xml 2>/dev/null
result 'the XML of a model is of the grammar that is shipped' $?
llac -e "load $SOURCE/examples/llac/table1.csv; f = fit table1; save f to f.xml; forget f
    m = load f.xml; predict m at P = 8; compare m with table1 as OURS
    save session to s.llac; history"
gives 'a saved model predicts as it did' 0 '^8 +1\.89' '^PROCS +TIME +OURS +ERROR %$'
grep -q '^forget f$' s.llac && ! grep -q history s.llac
result 'the session is kept, without what only asked for it' $?
llac -e "m = load table1.xml; predict m at P = 8"
[ -n "$(tail -1 out)" ] && grep -Eq "^ +8 .* $(tail -1 out | awk '{ printf "%.4f", $3 }') " table1.out
result 'so does that of a formula' $?
cat >main.c <<'END'
#include <stdio.h>
#include "table1.c"
int main(void)
{
    printf("%.4f\n", few(8, 2097152));
    return 0;
}
END
try "${CC:-cc}" -o few main.c -lm
try ./few
seen=$(cat out)
[ -n "$seen" ] && grep -Eq "^ +8 +1.8939 +$seen +.*! outside" table1.out
result 'the C of a model computes what it predicted' $?
llac "$here/../../examples/llac/table1.llac" -e 'predict all at P = 2' -e 'quit 3' -e 'nonsense'
gives 'commands go on behind a script, to `quit`' 3 '^2 +2097152 +5.99'
cat >outer.llac <<END
N = 1
source inner/inner.llac
END
mkdir inner
printf 'load r.csv\nsource deeper.llac\n' >inner/inner.llac
echo 'rows r where A == 2' >inner/deeper.llac
printf 'A;B\n1;2\n2;3\n' >inner/r.csv
llac outer.llac
gives 'scripts are found beside the script that names them' 0 '^2  3$'
echo 'source self.llac' >self.llac
llac self.llac
gives 'one that runs itself ends' 1 'self.llac:1: error: scripts source each other 20 deep'
llac -e "obsp $SOURCE/examples/exchange/figure1.json"
gives "the paper's Figure 1: 10 by OBSP*, 12 by plain BSP" 0 '^ all +10 +10 +0.00 +12 +-20.00$'

# The whole chain: what `portolan call` translated reports, in both its forms.
CLL_OUTPUT=fft.dat try "$MPIEXEC" -n 2 "$BUILD/examples/fft/fft" 1024 4096 3
CLL_STORE=fft.db CLL_OUTPUT=again.dat try "$MPIEXEC" -n 2 "$BUILD/examples/fft/fft" 1024 4096 3
llac -e 'load fft.dat; m = fit fft max over CPU; compare m'
gives 'an annotated program is analyzed by the formula that is written in it' 0 \
    '^fft: [0-9]+ rows, fft\[0\]' '^  fft\[2\] ' '^ *1024 ' '^mean of absolute errors'
llac -e 'load fft.db of fft, G; show; fit G max over CPU'
gives 'from a store, too' 0 '^fft +table +[0-9]+ rows, fft\[0\]' '^  G\[1\] '

# ------------------------------------------------------------------------------------ failures

fails 'an unknown command has a suggestion' "-e:1:1: error: 'lod' .*did you mean 'load'" 'lod x'
fails 'a file that is not there is told where it is named' '-e:2:6: error: .nix. cannot be read' \
    'N = 1
load nix'
fails 'a formula fails at its word' '-e:1:18: error: unknown function "sine"' 'x = 1; y = x +  (sine(3))'
fails 'so does a name in it' "-e:1:10: error: there is no variable 'M'; did you mean 'N'" 'N = 4; 2*M'
load="load $SOURCE/examples/llac/table1.csv"
fails 'a column' "-e:2:23: error: 'table1' has no column 'TIM'.*'TIME'" "$load
rows table1 where P > TIM"
fails 'a formula that is not canonical' '-e:3:10: error: .*constant' "$load
fit table1 as f[0] + \\
         3*P"
fails 'a word where none belongs' "-e:2:15: error: 'of' does not belong here" "$load
rows table1 5 of"
fails 'an open quote' '-e:1:6: error: this text has no end' 'load "x'
fails 'a model that needs a value' "-e:2:30: error: the model also depends on 'P'" "$load
m = fit table1 on P; predict m"
printf 'P,TIME\n1,2\n2,x3\n' >bad.csv
fails 'a table fails in its own lines' 'bad.csv:3:3: error: .x3. is not a number' 'load bad.csv'
printf 'EXPERIMENT: D\nSAMPLE:\nCPU NCPUS CLOCK\n1 2\n' >bad.dat
fails 'a report, too' 'bad.dat:4: error' 'load bad.dat'
printf 'x = 1\ny = nonsense\nz = 3\nprint z\n' >three.llac
llac three.llac
gives 'a script stops at its first failure' 1 'three.llac:2:5: error'
lacks 'and goes no further' '^3$'
llac -k three.llac
gives 'unless told so' 1 'three.llac:2:5: error' '^3$'
printf 'x = nonsense\nprint 77\n' >typed
status=0
"$PORTOLAN" llac <typed >out 2>err || status=$?
gives 'what comes from a pipe is a script' 1 '^standard input:1:5: error'
llac --nonsense
gives 'wrong usage is 2' 2
llac -e "$load; x = table1 where P > 2 sort P nonsense; show" -k
gives 'what failed has changed nothing' 1 'does not belong here'
lacks 'not even a name' '^x '

# --------------------------------------------------------------------------------------- plots

xmllint --noout table1.svg && grep -q '2 Mi complex' table1.svg
result 'a plot is SVG' $?
llac -e "$load; plot table1 by P of OBSP to p.gp; plot table1; plot table1"
gives 'or a script of gnuplot, or gets a number' 0 '^p.gp$' \
    '^llac.1.svg$' '^llac.2.svg$'

# ------------------------------------------------------------------------------------ terminal

command -v python3 >/dev/null || {
    for name in 1 2 3; do result "terminal $name # SKIP no python3" 0; done
    exit 0
}
cp "$SOURCE/examples/llac/table1.csv" .
# What is typed (blanks as _), and what must then be seen.
status=0
timeout 120 python3 "$SOURCE/tests/terminal.py" "$PORTOLAN" llac >out 2>err <<'END' || status=$?
- llac> 
lo\t ad 
table1.cs\t v 
\r table1: 6 rows.*llac> 
nonsense\r neither a command.*llac> 
rows_tab\twhere_TI\t ME
>_6\r 11.7748.*6.0036.*llac> 
N_=_2_*_\\\r     > 
21\rN\r 42.*llac> 
dropped ed
\x03 \n.*llac> 
\x04 \n
END
gives 'a terminal has completion, goes on behind failures, and Ctrl-C drops the line' 0
[ "$status" = 0 ] || sed 's/^/# /' out
grep -q 'rows.040table1.040where' state/portolan/llac_history &&
    ! grep -q dropped state/portolan/llac_history
result 'what was typed is kept' $?
status=0
timeout 120 python3 "$SOURCE/tests/terminal.py" "$PORTOLAN" llac >out 2>err <<'END' || status=$?
- llac> 
\x10\x10\x10\x10\x10\x10\r table1: 6 rows.*llac> 
quit_4\r \n
END
gives 'for the next session' 4
[ "$status" = 4 ] || sed 's/^/# /' out
