#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What exploring while running costs: heat on 2 ranks, 400 steps, from an empty store and the slowest
# assembly, beside the quickest fixed one; and the next run, which knows. Each round is three
# processes in turn; time includes the Optimizer's own. Goals: 1.15 and 1.02.
. "$BUILD/tests/devenv.sh"
steps=400 rounds='1 2 3' solvers='BandedCholesky Cholmod Umfpack ConjugateGradients' assemblers='Band Csc Stencil'
if [ "${PORTOLAN_BENCH_SHORT-}" ]; then
    steps=10 rounds=1 solvers=Cholmod assemblers=Band
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$BUILD/examples/heat" || exit 1

# run STEPS STORE OPTION...: leaves the milliseconds in $took.
run() {
    n=$1 store=$2
    shift 2
    "$MPIEXEC" -n 2 portolan run --quiet --store="$store" --set driver.steps="$n" \
        --set driver.report=0 "$@" plate.xml >"$folder/out" 2>&1 || exit 1
    took=$(sqlite3 "$store" "SELECT cast((elapsed_ns + coalesce((SELECT value FROM primary_metadata
        WHERE trial = t.id AND name = 'deciding at swap points'), 0)) / 1e6 AS INTEGER)
        FROM trial t ORDER BY id DESC LIMIT 1")
}

# "milliseconds solver assembler preconditioner" of every fixed assembly, quickest first.
for solver in $solvers; do
    for assembler in $assemblers; do
        for preconditioner in IncompleteCholesky Jacobi; do
            # only one solver uses it
            [ $solver != ConjugateGradients ] && [ $preconditioner = Jacobi ] && continue
            set -- --select solver=heat.$solver --select assembler=heat.${assembler}Assembler \
                --select preconditioner=heat.$preconditioner
            run 30 "$folder/fixed.db" --fixed "$@"
            echo "$took $*"
        done
    done
done | sort -n >"$folder/all"
echo "quickest: $(head -1 "$folder/all" | sed 's/--select //g')"
echo "slowest:  $(tail -1 "$folder/all" | sed 's/--select //g')"
quickest=$(head -1 "$folder/all" | cut -d' ' -f2-)
slowest=$(tail -1 "$folder/all" | cut -d' ' -f2-)

for round in $rounds; do
    # shellcheck disable=SC2086 # several words
    run $steps "$folder/fixed.db" --fixed $quickest
    fixed=$took
    # shellcheck disable=SC2086
    run $steps "$folder/$round.db" $slowest
    first=$took
    # shellcheck disable=SC2086
    run $steps "$folder/$round.db" $slowest
    awk -v n="$round" -v a="$fixed" -v b="$first" -v c="$took" 'BEGIN {
        printf "round %d: fixed %d ms, exploring %.3f, the next run %.3f\n", n, a, b / a, c / a }'
done
