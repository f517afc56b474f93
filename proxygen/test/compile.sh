#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generated code compiles without warnings, with gcc and clang. Arguments: proxygenc, sidlc, this
# folder, then the compiler flags for Portolan's headers.
set -u
. "$(dirname "$0")/setup.sh"
sidlc=$(realpath "$2")
tests=$3
shift 3
warnings='-std=gnu17 -O1 -Wall -Wextra -Wpedantic -Werror -fvisibility=hidden -fPIC'

compile() { # name, file, flags
    name=$1
    file=$2
    shift 2
    for compiler in ${compilers:-gcc $clang}; do
        if ! command -v $compiler >/dev/null; then
            number=$((number + 1))
            echo "ok $number - $name with $compiler # SKIP no $compiler here"
            continue
        fi
        # shellcheck disable=SC2086 # a list of words
        $compiler $warnings "$@" -c "$file" -o "$work/object.o" 2>"$work/err"
        result $? "$name compiles with $compiler"
    done
}

c_port() { # name, header as the generator gets it, port, flags for the generator…
    name=$1
    header=$2
    port=$3
    shift 3
    (cd "$tests" && "$generator" -q "$header" --port "$port" -o "$work/$name" "$@") || failed=1
}

"$sidlc" "$tests/headers/kinds.sidl" -o "$work/sidl" || failed=1
for type in Kinds Child Plain; do
    "$generator" -q "$tests/headers/kinds.sidl" --port "test.$type" -o "$work/sidl" || failed=1
    compile "test.$type" "$work/sidl/test_${type}_proxy.c" "$@" -I"$work/sidl"
done
c_port table headers/solver.h solver=test.Solver --context headers/solver.context
compile solver.h "$work/table/test_Solver_proxy.c" "$@" -isystem "$tests/headers"
c_port plain headers/plain.h plain
compile plain.h "$work/plain/plain_proxy.c" "$@" -isystem "$tests/headers"
c_port struct headers/bmi.h Bmi --context headers/bmi.context
compile bmi.h "$work/struct/Bmi_proxy.c" "$@" -isystem "$tests/headers"
for language in c c++; do
    number=$((number + 1))
    if printf '#include "Bmi_proxy.h"\n' | gcc -x $language -Wall -Wextra -Wpedantic -Werror \
        -fsyntax-only -I"$work/struct" -isystem "$tests/headers" - 2>"$work/err"; then
        echo "ok $number - the header for programs without a framework compiles alone as $language"
    else
        sed 's/^/# /' "$work/err"
        echo "not ok $number - the header for programs without a framework compiles alone as $language"
        failed=1
    fi
done
c_port handed_out headers/stream.h stream --context headers/stream.context
compile stream.h "$work/handed_out/stream_proxy.c" "$@" -isystem "$tests/headers"
c_port shared headers/generator.h generator_type
compile generator.h "$work/shared/generator_type_proxy.c" "$@" -isystem "$tests/headers"
c_port held headers/sink.h sink
compile sink.h "$work/held/sink_proxy.c" "$@" -isystem "$tests/headers"
c_port hard headers/hard.h hard
compile hard.h "$work/hard/hard_proxy.c" "$@" -isystem "$tests/headers"
c_port strange headers/strange.h strange
compile strange.h "$work/strange/strange_proxy.c" "$@" -isystem "$tests/headers"
c_port gnu headers/gnu.h gnu
compilers=gcc
compile gnu.h "$work/gnu/gnu_proxy.c" "$@" -isystem "$tests/headers"
compilers=

# header, port, side file or nothing, flags
while read -r case port side flags; do
    set_side=''
    [ "$side" = - ] || set_side="--context headers/cases/$side"
    # shellcheck disable=SC2086
    c_port "$case" "headers/cases/$case.h" "$port" $set_side -- $flags
    # shellcheck disable=SC2086
    compile "cases/$case.h" "$work/$case/${port}_proxy.c" "$@" -isystem "$tests/headers/cases" $flags
done <<'CASES'
attributes attributes -
by_value by_value -
callback walker callback.context
conditional conditional - -DSCALAR=float -DWITH_SCALE
handle handle -
included part -
inline counter -
out out out.context
qualifiers qualifiers -
returns returns -
sizes sizes sizes.context
unnamed unnamed -
variadic journal variadic.context
CASES

# Headers of others, where they are installed; with a side file where there is one for the port.
for other in sundials/sundials_linearsolver.h:SUNLinearSolver sundials/sundials_matrix.h:SUNMatrix \
    sundials/sundials_nvector.h:N_Vector sundials/sundials_nonlinearsolver.h:SUNNonlinearSolver \
    sqlite3.h:sqlite3_file sqlite3.h:sqlite3_vfs sqlite3.h:sqlite3_module sqlite3.h:sqlite3_vtab \
    gsl/gsl_odeiv2.h:gsl_odeiv2_step_type gsl/gsl_rng.h:gsl_rng_type; do
    header=${other%:*}
    port=${other#*:}
    if [ ! -e "/usr/include/$header" ]; then
        number=$((number + 1))
        echo "ok $number - $port # SKIP $header is not installed"
        continue
    fi
    if [ -e "$tests/headers/$port.context" ]; then
        c_port other "$header" "$port" --context "headers/$port.context"
    else
        c_port other "$header" "$port"
    fi
    compile "$port" "$work/other/${port}_proxy.c" "$@" -fsyntax-only
done
finish
