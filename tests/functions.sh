#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A list of functions in an assembly, as a user has it: code that calls them by name and knows nothing
# of ports is linked with the front; two shared objects implement them; the Mastermind stores what
# was measured.
# shellcheck source=tests/tap.sh
. "$SOURCE/tests/tap.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] ||
    skip_all 'components are compiled here as users do, without sanitizers'
plan 14
include="-I$SOURCE/base -I$SOURCE/probe -I$SOURCE/framework -I$SOURCE/sidl/runtime
    -I$BUILD/sidl/runtime -I$SOURCE/proxygen/runtime"
portolan="-L$BUILD/framework -lportolan -Wl,-rpath,$BUILD/framework"
cd "$work" || exit 99

cat >calc.h <<'C'
double calc_sum(const double *x, int n);
const char *calc_name(void);
C
# Both sum up, "late" many times.
cat >calc.c <<'C'
#include "calc.h"
double calc_sum(const double *x, int n)
{
    volatile double sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        sum = 0;
        for (int i = 0; i < n; i++)
            sum += x[i];
    }
    return sum;
}
const char *calc_name(void) { return NAME; }
C
cat >old.h <<'C'
double old_code(int n, const char **name);
C
cat >old.c <<'C'
/* Somebody's code. */
#include "calc.h"
#include "old.h"
double old_code(int n, const char **name)
{
    static double x[1000];
    for (int i = 0; i < n; i++)
        x[i] = i;
    *name = calc_name();
    return calc_sum(x, n);
}
C
cat >driver.c <<'C'
#include <portolan/framework.h>
#include "old.h"
#include <stdio.h>
struct driver { struct sidl_object object; };
static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    const char *name;
    (void)self, (void)_ex;
    for (int n = 100; n <= 1000; n += 100)
        if (old_code(n, &name) != n * (n - 1) / 2.0)
            return -1;
    printf("summed by %s\n", name);
    return 0;
}
static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
}
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};
static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct sidl_implements implements[] = {{&gov_cca_ports_GoPort__type, &go_epv},
                                                    {&gov_cca_Component__type, &component_epv}};
static const struct sidl_class cls = {.name = "user.Driver", .version = "1.0",
    .size = sizeof(struct driver), .implements = implements, .n_implements = 2};
static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&cls, _ex), "gov.cca.Component");
}
PORTOLAN_COMPONENT(user_Driver, "user.Driver", create);
C
cat >user.Driver.xml <<'XML'
<component class="user.Driver" library="driver.so"><provides port="go" type="gov.cca.ports.GoPort"/></component>
XML

# shared OUTPUT WORDS...: compiled as a user would.
shared() {
    output=$1
    shift
    # shellcheck disable=SC2086 # lists of words
    try cc -std=gnu17 -O2 -Wall -Wextra -Wpedantic -Werror -fPIC -shared $include -I. "$@" \
        -o "$output" $portolan
}

shared libcalc_quick.so calc.c -DTURNS=1 '-DNAME="quick"' && mkdir far &&
    shared far/libcalc_late.so calc.c -DTURNS=200 '-DNAME="late"'
gives 'two libraries implement the list' 0
try "$PORTOLAN" proxygen calc.h --functions 'calc_*' --port user.Calc --front \
    --lib ./libcalc_quick.so --lib late=far/libcalc_late.so -o .
gives 'proxygen makes a port of it' 0 '2 of 2 methods intercepted' \
    'calc_sum +intercepted, context n' 'user.Calc_libcalc_quick provides them from /' \
    'Class user.Calc_late provides them'
shared user_Calc_proxy.so user_Calc_proxy.c
gives 'the proxy compiles' 0
shared user_Calc_libcalc_quick.so user_Calc_libcalc_quick.c
gives 'so does a provider' 0
shared user_Calc_late.so user_Calc_late.c
gives 'and another' 0
shared user_Calc_front.so user_Calc_front.c user_Calc_front_component.c
gives 'and the front with its component' 0
shared driver.so driver.c old.c "$PWD/user_Calc_front.so" -fvisibility=hidden
gives 'existing code is linked with the front' 0

assembly() { # file, class of the list, more
    cat >"$1" <<XML
<assembly name="calc">
  <path dir="."/>
  <instance name="driver" class="user.Driver"/>
  <instance name="front" class="user.CalcFront"/>
  <instance name="calc" class="user.Calc_$2"/>
  <instance name="measurement" class="portolan.Measurement"/>
  <instance name="mastermind" class="portolan.Mastermind"><parameter name="store" type="string" value="calc.db"/></instance>
  <connect user="front" uses="functions" provider="calc" provides="functions"/>
  <connect user="mastermind" uses="measurement" provider="measurement" provides="measurement"/>
  <monitor instance="driver" port="go"/>
  <monitor user="front" uses="functions"/>
  <go instance="driver" port="go"/>
</assembly>
XML
}
assembly quick.xml libcalc_quick
assembly late.xml late
try "$PORTOLAN" check quick.xml
gives 'the assembly is good' 0
try "$PORTOLAN" run quick.xml
gives 'the code calls what is connected' 0 '^summed by quick$'
try "$PORTOLAN" run late.xml
gives 'or the other' 0 '^summed by late$'

try sqlite3 calc.db "SELECT sum(calls) FROM sample WHERE method = 'calc_sum'"
gives 'every call is in the store' 0 '^20$'
try sqlite3 calc.db "SELECT count(DISTINCT parameter_value) || ' of ' || parameter_name
    FROM sample JOIN call_context c ON c.call_data = sample.id WHERE method = 'calc_sum'"
gives 'by its extent' 0 '^10 of n$'

sed 's/<instance name="calc".*/<instance name="calc" class="user.Calc_late"><parameter name="library"\
    type="string" value=".\/nowhere.so"\/><\/instance>/' late.xml >nowhere.xml
try "$PORTOLAN" run nowhere.xml
gives 'a library that is not there is told with its name' 1 'nowhere.so: No such file'

# Both libraries need one of the same name, as those of LAPACK need a BLAS: each has its own.
mkdir here there
for where in here there; do
    echo "const char *where(void); const char *where(void) { return \"$where\"; }" >where.c
    shared $where/libwhere.so where.c -Wl,-soname,libwhere.so
    echo 'const char *where(void); const char *calc_name(void); const char *calc_name(void) { return where(); }' >name.c
    shared $where/libname.so name.c "$PWD/$where/libwhere.so" '-Wl,-rpath,$ORIGIN'
done
cat >both.c <<'C'
#include <portolan/functions.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static const char *const symbols[] = {"calc_name"};
    const struct portolan_functions_description d = {.size = sizeof d, .type = "user.Calc",
                                                     .symbols = symbols, .n_symbols = 1};
    for (int i = 1; i < argc; i++) {
        struct portolan_functions_library *library;
        struct portolan_error err = {0};
        if (portolan_functions_library_open(&d, argv[i], &library, &err))
            return puts(err.text), 1;
        printf("%s ", (*(const char *(*const *)(void))portolan_functions_library_table(library))());
        portolan_functions_library_close(library);
    }
    return 0;
}
C
# shellcheck disable=SC2086 # lists of words
cc -std=gnu17 $include both.c -o both $portolan
try ./both here/libname.so there/libname.so
gives 'libraries that need others of one name have each its own' 0 '^here there '
