#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan sidl --check: exit 0 or 1, one line per error and no other; nothing is ever written.
. "$(dirname "$0")/tap.sh"
plan 13

cd "$work" || exit 1
cat >good.sidl <<'SIDL'
require gov.cca version 0.8.5;
require beside version 1.0;
package good version 1 {
  interface Port extends gov.cca.Port, beside.B { void go(in int n); require n > 0; }
}
SIDL
echo 'package beside version 1.0 { interface B {} }' >beside.sidl
cat >bad.sidl <<'SIDL'
package bad version 1.0 {
  interface Solver { void solve(int n) }
  interface Other extends Solvr { void f() throws Other; }
  enum Colour { red, green = 0, red }
}
SIDL

try "$PORTOLAN" sidl --check good.sidl
gives 'good SIDL' 0
count '… of which nothing is said' 0 '.'
try "$PORTOLAN" sidl --check bad.sidl
gives 'bad SIDL' 1 '^bad.sidl:2:33: error: .*in, out or inout' "^bad.sidl:2:39: error: expected ';'" \
    '^bad.sidl:3:27: error: unknown type Solvr; did you mean .bad.Solver.\?$' \
    '^bad.sidl:4:33: error: enumerator red'
count '… every line of which is an error with its place' 4 '^bad\.sidl:[0-9]+:[0-9]+: error: '
count '… and no other line' 0 '^$|^[^b]'
try "$PORTOLAN" sidl --check bad.sidl good.sidl beside.sidl
count 'several files' 4 '^bad.sidl'
try "$PORTOLAN" sidl --check none.sidl good.sidl
gives 'a missing file' 1 '^none.sidl:1: error: cannot read none.sidl: No such file'
truncate -s 3G huge.sidl
try "$PORTOLAN" sidl --check huge.sidl
gives 'a file beyond all measure is not read' 1 '^huge.sidl:1: error: cannot read huge.sidl: File too large'
rm huge.sidl
mkdir apart && mv beside.sidl apart
try "$PORTOLAN" sidl --check good.sidl
gives 'a package that is not found' 1 '^good.sidl:2:9: error: package beside not found; .*-I'
try "$PORTOLAN" sidl --check -I apart good.sidl
gives 'a package in the include path' 0
sed 's/0\.8\.5/0.8.2/' good.sidl >old.sidl
try "$PORTOLAN" sidl --check -I apart old.sidl
gives 'an older gov.cca' 0 '^old.sidl:1: note: package gov.cca has version 0.8.5 here, which is used as 0.8.2$'
sed 's/gov.cca.Port/gov.cca.Gone/' old.sidl >gone.sidl
try "$PORTOLAN" sidl --check -I apart gone.sidl
gives '… of which something is not there' 1 '^gone.sidl:4:26: error: .*gov.cca.Gone'
rm old.sidl gone.sidl
status=0
[ "$(ls)" = "$(printf 'apart\nbad.sidl\nerr\ngood.sidl\nout')" ]
result 'nothing was written' $?
