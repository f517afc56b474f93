#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan sidl --generate-hooks: what an author writes into hooks stays.
. "$(dirname "$0")/tap.sh"
plan 6

cd "$work" || exit 1
cat >hooked.sidl <<'SIDL'
package hooked version 1.0 {
  class Solver { int solve(in double x, out double y); }
}
SIDL
impl=gen/hooked_Solver_Impl.c

try "$PORTOLAN" sidl --generate-hooks hooked.sidl
gives 'hooks belong to implementations' 2 '--generate-hooks needs --server'
try "$PORTOLAN" sidl --server=C --generate-hooks -o gen hooked.sidl
gives 'hooks are generated' 0
status=0
grep -q 'impl_hooked_Solver_solve_pre(hooked_Solver self, double x, sidl_BaseInterface' $impl &&
    grep -q 'impl_hooked_Solver_solve_post(hooked_Solver self, double x, double y, int32_t _retval,' $impl
result '… one with what goes in, one with what comes out' $?
sed -i '/splicer.begin(hooked.Solver.solve_post)/a\        note(y); /* mine */' $impl
cp $impl before.c
try "$PORTOLAN" sidl --server=C --generate-hooks -o gen hooked.sidl
cmp -s before.c $impl
result 'a second run keeps what was written into one' $?
try "$PORTOLAN" sidl --server=C -o gen hooked.sidl
gives 'a run without hooks notes what has no place now' 0 'note: .*hooked.Solver.solve_post'
grep -q 'note(y); /\* mine \*/' $impl
result '… and keeps it at the end' $?
