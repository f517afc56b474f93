#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs of the BSP library: the paper's transform is right on 1, 2 and 4 processes, wrong use is
# told and ends the job, a run leaves a trace that is held against OBSP* and plain BSP.
. "$(dirname "$0")/tap.sh"
plan 40

cd "$work" || exit 99
wrong=$BUILD/call/bsp/test/bsp_wrong
fft=$BUILD/examples/fft/fft
exchange=$BUILD/examples/exchange/exchange

# -- the transform --

for p in 1 2 4; do
    try "$MPIEXEC" -n $p "$fft" 64 16384 2 "$work/result"
    gives "the transform runs on $p" 0
    if [ -x "$BUILD/examples/fft/check_fft" ]; then
        try "$BUILD/examples/fft/check_fft" 16384 "$work/result"
        gives "and gives what FFTW gives" 0
    else
        result 'and gives what FFTW gives # SKIP FFTW is not there' 0
    fi
done
try "$MPIEXEC" -n 2 "$BUILD/examples/fft/fft_plain" 2 512 1 "$work/plain"
gives 'untranslated it runs as well' 0
"$MPIEXEC" -n 2 "$fft" 512 512 1 "$work/result" && cmp "$work/plain" "$work/result"
result 'with the same result' $?
[ -s fft.cll.dat ] && [ -s fft.cll.1.dat ] && [ -s fft.cll.2.dat ]
result 'every run leaves a report' $?
try cat fft.cll.2.dat
gives 'of all experiments and processes' 0 '^PARALLEL_ID: PUB' '^EXPERIMENT: fft$' '^EXPERIMENT: D$' \
    '^INFORMULA: G\[0\]\+G\[1\]\*N\*log\(N\)' '^NUMTESTS: 36 36 36 36' '^3 4 '
try "$PORTOLAN" llac -e 'load fft.cll.dat fft.cll.1.dat fft.cll.2.dat' -e 'm = fit fft max over CPU' -e 'm'
gives 'that the analyzer fits' 0 '^fft: [0-9]+ rows' 'fft\[2\] +[0-9.e-]+ ' 'valid for .*1 <= P <= 4'
try "$MPIEXEC" -n 2 "$fft" 12
gives 'a length that is no power of 2' 2 'usage: fft'

# -- wrong use --

# refuses CASE PATTERN...
refuses() {
    name=$1
    shift
    try "$MPIEXEC" -n 2 "$wrong" "$name"
    [ "$status" = 0 ] || status=1 # of a job that was ended, whatever the launcher makes of it
    gives "wrong: $name" 1 "$@"
    lacks "$name ends the job" 'nothing is wrong'
}
refuses bounds_equal 'bsp_partition: error: processor . of 2.*bound 1 is 2; bounds increase'
refuses bounds_short 'the last bound is 1; it would be 2'
refuses done_early 'bsp_done: error: .*out of order: 1 object made of this one'
refuses done_twice 'bsp_done: error: .*bsp_done\(\) has ended it'
refuses divided 'bsp_sync: error: .*this object is divided'
refuses outside 'bsp_send: error: .*there is no processor 1: the object has 0 … 0'
refuses beyond 'bsp_getmsg: error: .*superstep 2: there is no message 1: the last superstep brought 1'
refuses too_many 'bsp_oblsync: error: .*2 messages came, but 1'
# Those that differ little are tried on one process.
: >"$work/all"
for name in bounds_fall done_all not_done negative unknown too_far again finalized too_early; do
    try "$wrong" $name
    [ "$status" != 0 ] || echo "$name is not refused" >>"$work/all"
    cat "$work/err" >>"$work/all"
done
status=0
: >"$work/err"
mv "$work/all" "$work/out"
lacks 'nothing wrong passes' 'is not refused'
gives 'all is told' 0 'bound 1 is 1|the last bound' 'which bsplib_done\(\) ends' 'is not done: call bsp_done' \
    'a size of -5 bytes' 'is not registered: bsp_push_reg' '4 bytes at 2; 4 bytes are registered' \
    'called a second time' 'call it before MPI_Finalize' 'bsplib_init\(\) has not been called'
try env "$other_mpi_rank=0" "$other_mpi_size=2" "$wrong"
gives 'ranks of another MPI' 1 "started by $other_mpi_name" "mpiexec.$MPI -n 2"
try env BSP_TRACE="$work/none/trace" "$wrong"
gives 'a trace that cannot be written' 1 'BSP_TRACE: cannot write .*none/trace: No such file'

# -- traces and models --

try env BSP_TRACE="$work/trace.json" "$MPIEXEC" -n 2 "$exchange" 3 20000 30000
gives 'an example runs with a trace' 0 '3 rounds, good'
try "$PORTOLAN" obsp trace.json
gives 'which is held against the models' 0 '^trace.json: 2 processors; g .* L .* \(fitted to 16 ends' \
    '^ +0 +0 +2 +30000 ' '^ +all( +[0-9.e-]+){3} +-?[0-9.]+ +-?[0-9.]+$'
try "$PORTOLAN" obsp --predict --totals trace.json
gives 'by constants' 0 '  busy, 12 runs: busy\[0\] \+ busy\[1\] \* n; ' '  swap, 6 runs: ' 's an operation'
try "$PORTOLAN" obsp --report exchange.cll.dat --totals trace.json
gives 'by those of a report' 0 '  give, 6 runs: '
try "$PORTOLAN" obsp --from trace.json -c busy=0,1e-9 --totals trace.json
gives 'or given ones' 0 'busy\[1\] \* n; 0, 1e-09'
try env BSP_TRACE="$work/groups.json" "$MPIEXEC" -n 4 "$fft" 1024 1024 2
try "$PORTOLAN" obsp --predict groups.json
gives 'groups within groups' 0 '  G, 8 runs: ' '  D, 16 runs: ' '^ +3 +1 +1 +4096 ' '^ +3 +0 +2 +8192 ' \
    '^ +3( +[0-9.e-]+){3} +-?[0-9.]+ +-?[0-9.]+$'
try "$PORTOLAN" obsp "$SOURCE/examples/exchange/figure1.json"
gives 'figure 1: 10 s against 12 s' 0 '^ +all +10 +12 +10 +-?0.00 +-20.00'
sed 's/"oblsync": 0/"oblsync": 1/' "$SOURCE/examples/exchange/figure1.json" >bad.json
try "$PORTOLAN" obsp bad.json
gives 'what does not fit together is told' 1 '^bad.json:1: error: processor 0 awaits 1 messages'
