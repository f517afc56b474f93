#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan model and its verbs, on a store whose laws are known (bench/bench_paths.c), the paper's
# Table 1, and small files; golden outputs were checked by hand; UPDATE=1 writes them anew.
. "$(dirname "$0")/tap.sh"
plan 64

here=$(cd "$(dirname "$0")/model" && pwd)
golden=$here/golden
store=$work/paths.db
"$PATHS" "$store" 6 0 || exit 99
fft='fft[0] + fft[1]*N/P*log2(N/P)'
cp "$here"/fft.csv "$here"/two.json "$work"
cd "$work" || exit 99

# shows NAME FILE OPTION...: `portolan model OPTION...` prints what is in FILE.
shows() {
    name=$1 file=$golden/$2
    shift 2
    try "$PORTOLAN" model "$@"
    [ -z "${UPDATE-}" ] || cp "$work/out" "$file"
    diff "$file" "$work/out" | sed 's/^/# /'
    [ "$status" = 0 ] && cmp -s "$file" "$work/out"
    result "$name" $?
}

model() {
    try "$PORTOLAN" model "$@"
}

# ---- list
shows 'list: all call paths, each with its law' list.txt list "$store"
model list "$store" --sort growth --top 1
gives 'the fastest growing first' 0 'method_3 .* 40 driver.n\^2$' '^\(5 more; --top=0 shows all\)$'
model list "$store" --at driver.n=200 --method '*method_1'
gives 'a prediction outside the rows is marked' 0 ' ! +2000 driver.n$' '^! outside the measured range$'
model list "$store" --at driver.n=32 --method '*method_1'
lacks 'and one inside is not' '!'
model list "$store" --metric accuracy
gives 'accuracy is modelled' 0 '^accuracy per call' 'method_3 .* 0.001 driver.n\^-2$'
model list "$store" --by contexts --method '*method_1'
gives 'contexts: per call' 0 '^exclusive time per call, 6 trials' ' 12 .* 200 size$'
model list "$store" --metric inclusive --over sum --method '*method_4'
gives 'another metric, summed over ranks' 0 '^inclusive time per run, sum over ranks' '1e\+06$'
model list "$store" 1-3 --method '*method_2'
gives 'of some trials' 0 ' 3 trials' ' 3 .* driver.n log2\(driver.n\)$'
model list two.json --sort name
gives 'of two parameters, from JSON' 0 'main->solve +12 .* 1 n\^2 p\^-1$' 'main->output +8 .* 3 n$'
model list "$store" --metric calls --method 'driver.go'
gives 'the number of calls' 0 '^calls per run' '10$'

# ---- show, fit
shows 'fit: the formula of the paper with all that is known of it' fft.txt fit fft.csv \
    --formula "$fft"
model show fft.csv \
    --formula 'c[0] + c[1]*N/P + c[2]*N/P*log2(N/P) + c[3]*log2(P)'
gives 'the full formula: its condition number, and what was dropped' 0 \
    'condition +[0-9]{3,}.*large' 'dropped +log2\(P\): its constant would be negative'
model show "$store" --method '*method_3' --method '*method_3*'
gives 'show: constants with their errors, ranges, residuals' 0 'constants +40 ' \
    'measured for +driver.n 16 to 96' 'residuals +rms' 'mean \|error\| 0.00 %'
model show "$store" --top 2
count 'several models, as many as are wanted' 2 '^  model '
model fit fft.csv --value P
gives 'another column' 0 '^P$'
awk 'BEGIN { print "n,t"; for (n = 1; n <= 9; n++) for (r = 0; r < 3; r++) print n "," n * (1 + 0.02 * r) }' \
    >spread.csv
model fit spread.csv --statistic deviation
gives 'the standard deviation' 0 ' model +0.02 n '
model fit spread.csv --statistic minimum
gives 'the least of the repetitions' 0 ' model +1 n '
awk 'BEGIN { print "n,t"; for (n = 1; n <= 40; n++) print n * 10 "," (n < 20 ? 5 * n * 10 : 50 * n * 10) * (1 + 0.01 * sin(n * n)) }' \
    >broken.csv
model fit broken.csv --pieces
gives 'intervals of validity' 0 '2 intervals' 'breaks +n between 190 and 200' '^where n ' ' (5|4.9)[.0-9]* n' \
    ' (50|49)[.0-9]* n'

awk 'BEGIN { print "n,t"; for (k = 1; k <= 60; k++) { n = 10 * (1 + k % 6)
    print n "," n * (1 + 0.01 * sin(k * k)) * (k == 20 || k == 47 ? 30 : 1) } }' >spikes.csv
model show spikes.csv
gives 'spikes change nothing and are told' 0 ' model +(1|0.99|1.00)[.0-9]* n ' \
    'in time +2 spikes, some (29|30)[.0-9]* times as large.*rows 20, 47 of 60'
awk 'BEGIN { print "n,t"; for (k = 1; k <= 60; k++) { n = 10 * (1 + k % 6)
    print n "," n * (1 + 0.01 * sin(k * k)) * (1 + k / 200) } }' >drift.csv
model show drift.csv
gives 'drift is told' 0 'drifts by \+[23][0-9.]* % from the first row to the last'
awk 'BEGIN { print "n,t"; for (k = 1; k <= 90; k++) { n = 10 * (1 + k % 6)
    print n "," n * (1 + 0.01 * sin(k * k)) * (k * 7919 % 10 < 4 ? 2 : 1) } }' >two.csv
model show two.csv
gives 'two values in turn are told' 0 'two values in turn: '

# ---- compare
shows 'compare: Table 1 of the paper' table1.txt compare fft.csv --formula "$fft"
model compare fft.csv --formula "$fft" --up-to P=4
gives 'fitted to P = 1, 2, 4: the others are marked' 0 ' 8 .*! outside' ' 32 .*! outside' \
    'of the points outside'
awk '/outside$/ { e = $(NF - 2); if (e < 0) e = -e; if (e > 1) bad = 1; n++ } END { exit bad || n != 3 }' \
    "$work/out"
result 'and predicted within 1 %' $?
model compare "$store" 1-3 4-6 --method '*method_3'
gives 'two sets of trials side by side' 0 '^A: .*3 trials' '^B: .*3 trials' \
    'method_3 .* 40.96 us +40.96 us +1 .*40 driver.n\^2 +40 driver.n\^2$'
cp "$store" other.db
model compare "$store" other.db --top 1
gives 'two stores' 0 '^driver.go .* 500 us +500 us +1 ' '^\(5 more'
sed 's/11.7748/23.5/; s/6.0036/12/; s/3.2120/6.4/; s/1.8939/3.8/' fft.csv >slow.csv
model compare fft.csv slow.csv --formula "$fft"
gives 'two files: what differs is starred' 0 '^T .*\*'

# ---- plot
model plot fft.csv --formula "$fft" -o fft.svg
gives 'plot' 0
xmllint --noout fft.svg 2>"$work/err" && grep -q '<svg' fft.svg && grep -q 'measured' fft.svg &&
    grep -q '>P (N=2097152)<' fft.svg
result 'is an SVG document with its labels' $?
model plot "$store" --top 3 -o all.gp
[ "$status" = 0 ] && [ "$(grep -c 'method_\|driver.go' all.gp)" -ge 3 ]
result "several, as gnuplot's script" $?
model plot fft.csv --x Q
gives 'along a parameter that is not there' 1 "'Q' is no parameter here"
model plot fft.csv -o "$work/nowhere/x.svg"
gives 'into a folder that is not there' 1 'nowhere/x.svg'

# ---- emit
model fit fft.csv --formula "$fft" --emit xml
cp out fft.xml
xmllint --noout --relaxng "$SOURCE/models/model.rng" fft.xml 2>"$work/err"
result 'XML that its grammar knows' $?
model fit fft.csv --formula "$fft" --emit c
cp out model.c
cat >main.c <<'END'
#include <stdio.h>
#include "model.c"
int main(void)
{
    printf("%.3f\n", T(2097152, 64));
    return 0;
}
END
${CC:-cc} -Wall -Wextra -Werror -o main main.c -lm 2>"$work/err" && ./main >"$work/out"
gives 'C that compiles and says the same' 0 '^0.83[0-9]$'
for form in extrap extrap-text; do
    model fit fft.csv --emit $form
    cp out rows.$form
    model compare rows.$form --formula "$fft"
    cmp -s "$golden/table1.txt" out || diff "$golden/table1.txt" out | sed 's/^/# /'
    sed 1,2d "$golden/table1.txt" >expected
    sed 1,2d out | cmp -s - expected
    result "$form: the same rows again" $?
done
printf '%s\n' 'PARAMETER p' 'POINTS 2 4 8' 'REGION main' 'METRIC time' 'DATA 2' 'DATA 4' 'DATA 8' \
    'METRIC bytes' 'DATA 4' 'DATA 16' 'DATA 64' 'REGION main->solve' 'METRIC time' 'DATA 4' \
    'DATA 2' 'DATA 1' 'METRIC bytes' 'DATA 6' 'DATA 12' 'DATA 24' >both.txt
for form in extrap extrap-text; do
    model list both.txt --emit $form
    cp out both.$form
    model list both.$form --sort called
    gives "$form: two metrics of two call paths stay two of two" 0 '^main \[time\] .* 1 p$' \
        '^main \[bytes\] .* 1 p\^2$' '^main->solve \[time\] .* 8 p\^-1$' \
        '^main->solve \[bytes\] .* 3 p$'
done
model list "$store" --emit xml
gives 'XML of several models is refused' 1 'select one with --method'
model list "$store" --emit c
gives 'C of several has a function for each' 0 'double part_method_1_bench_Part\(' 'double driver_go\('

# ---- what is wrong
printf 'n,t\n1,2\nx,3\n4\n5,"6\n' >bad.csv
model fit bad.csv
gives 'a table: every problem by its line' 1 "^bad.csv:3: error: n is 'x', want a number$" \
    '^bad.csv:4: error: 1 fields, the head has 2$' '^bad.csv:5: error: a quote is not closed,'
count 'and each once' 3 'error'
printf 'n;t\n1;2\n2;4\n4;8\n8;16\n16;32\n' >semicolons.csv
model fit semicolons.csv
gives 'a table with other separators, as llac reads it' 0 'n'
: >empty.csv
model fit empty.csv
gives 'an empty file' 1 '^empty.csv:1: error: no row'
printf '# of no value' >remark.csv
model fit remark.csv
gives 'a file of one remark' 1 '^remark.csv:1: error: no row'
printf '{"parameters":{"p":4};"metric":"time";"callpath":"main";"value":1.5}\n' >talpas.txt
model fit talpas.txt
gives 'Talpas, by its name' 1 '^talpas.txt:1:1: error: this is Talpas, which is not read; write a table'
printf 'PK\003\004' >zipped.extra-p
model fit zipped.extra-p
gives "Extra-P's own experiments, by their form" 1 'this is a zip archive, as experiments of Extra-P'
printf '<?xml version="1.0"?><cube/>' >profile.cube
model fit profile.cube
gives 'XML, by its name' 1 'this is XML, which is not read'
printf 'n,cells\n8,36\n16,196\n32,900\n64,3844\n128,15876\n' >cells.csv
model list cells.csv --at n=1024
gives 'an exact law with a negative constant' 0 '1\.044e\+06.* 4 \+ 1 n\^2 - 4 n'
printf 'n,p,t\n' >sum.csv
for n in 1 2 3 4 5; do
    for p in 1 2 3 4 5; do echo "$((1 << n)),$((1 << p)),$((64 * (1 << n) / (1 << p) + p))"; done
done >>sum.csv
model list sum.csv --at n=64,p=64
gives 'a share of work and a logarithm' 0 ' 70 .* 64 n p\^-1 \+ 1 log2\(p\)'
printf 'n,p,t\n8,2,16\n16,4,32.4\n32,8,63.7\n64,16,128.5\n' >together.csv
model list together.csv --at n=32,p=2
gives 'a point off the line of two parameters is outside' 0 '! outside the measured range'
model show together.csv
gives 'two parameters that move together' 0 'together +p is 0.25 n\^1 in all rows'
model fit fft.csv --value U
gives 'a column that is not there' 1 "fft.csv:2: error: no column 'U'"
printf 'PARAMETER p\nPOINTS 1 2\nREGION r\nMETRIC m\nDATA 1\nDATA x\n' >bad.txt
model fit bad.txt
gives "Extra-P's text, by its line" 1 '^bad.txt:6:'
model fit fft.csv --formula 'c[0] + 3*N'
gives 'a formula that is not canonical, by its column' 1 '^--formula:1:[0-9]+: error: '
model fit fft.csv --formula 'c[0] + c[1]*M'
gives 'a formula of a parameter that is not there' 1 'unknown name "M"'
model fit nothere.csv
gives 'a file that is not there' 1 "'nothere.csv' cannot be read"
model list nothere.db
gives 'a store that is not there' 1 'nothere.db'
model list "$store" --metric PAPI_TOT_CYC
gives 'a metric that was not measured' 1 "no trial has 'PAPI_TOT_CYC'"
model list "$store" 1 --by parameters
gives 'one trial tells nothing of parameters' 1 'no numeric parameter differs'
model list "$store" --method 'frob*'
gives 'a pattern that nothing is like' 1 "no call path matches 'frob\*'"
model list "$store" --at size=3
gives 'a parameter that is not there' 1 "'size' is no parameter here"
model list "$store" --sort size
gives 'an order that there is not' 1 "unknown order 'size'; use value, growth, error, name or called"
model list "$store" --statistic meen
gives 'wrong usage' 2 "did you mean 'mean'"
