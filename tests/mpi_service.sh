#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A component speaks MPI on a communicator that `portolan run` gives it, from an assembly and from a
# script.
. "$(dirname "$0")/tap.sh"
plan 5

components=$BUILD/tests/components
ring=$(dirname "$0")/components/ring.xml
cat >"$work/ring.rc" <<'RC'
#!ccaffeine bootstrap file.
repository get-global speak.Ring
instantiate speak.Ring ring
go ring go
exit
RC

try "$PORTOLAN" check --path "$components" "$ring"
gives 'the service needs no connection' 0 'good: 1 instance'
for ranks in 1 2; do
    try "$MPIEXEC" -n $ranks "$PORTOLAN" run --path "$components" "$ring"
    gives "an assembly of $ranks ranks" 0
done
try "$MPIEXEC" -n 2 "$PORTOLAN" run --path "$components" "$work/ring.rc"
gives 'a script of 2 ranks' 0

# ------------------------------------------------- another MPI
mkdir "$work/other"
sed 's/library="[^"]*"/library="speak_other.so"/' "$components/speak.Ring.xml" \
    >"$work/other/speak.Ring.xml"
ln -s "$components/speak_other.so" "$components/libother_mpi.so" "$work/other"
try "$PORTOLAN" run --path "$work/other" "$ring"
gives 'a component of another MPI' 1 \
    'speak_other.so is linked with another MPI, .*libother_mpi.so, than this program' \
    'configure --with-mpi='
