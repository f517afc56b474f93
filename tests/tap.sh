# SPDX-License-Identifier: BSD-3-Clause
# TAP for shell tests: source it, `plan N`, then checks. Everything a test writes goes to $work,
# which is removed at the end. $PORTOLAN is the command, $MPIEXEC starts ranks.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests_run=0

# What the launcher of the MPI leaves in the environment that this build is not for ($MPI is its own).
# shellcheck disable=SC2034 # some tests use them
case ${MPI:-mpich} in
mpich)
    mpi_package=mpich other_mpi=openmpi other_mpi_name="Open MPI's mpiexec"
    other_mpi_rank=OMPI_COMM_WORLD_RANK other_mpi_size=OMPI_COMM_WORLD_SIZE
    ;;
*)
    mpi_package=ompi-c other_mpi=mpich other_mpi_name="MPICH's mpiexec"
    other_mpi_rank=PMI_RANK other_mpi_size=PMI_SIZE
    ;;
esac

plan() {
    echo "1..$1"
}

# Whether this build has the wing: call, hercule, clue.
has_wing() {
    case " ${WINGS-call hercule clue} " in *" $1 "*) ;; *) return 1 ;; esac
}

# skip_checks N REASON: N checks are not made.
skip_checks() {
    for _ in $(seq "$1"); do
        tests_run=$((tests_run + 1))
        echo "ok $tests_run # SKIP $2"
    done
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# result NAME STATUS: prints the outcome; on failure what the last `try` saw.
result() {
    tests_run=$((tests_run + 1))
    if [ "$2" = 0 ]; then
        echo "ok $tests_run - $1"
    else
        echo "not ok $tests_run - $1"
        echo "# exit status $status; output:"
        sed 's/^/#   /' "$work/out" "$work/err" 2>/dev/null
    fi
}

# try COMMAND...: runs it, for 120 or $TRY_SECONDS at most, keeps its exit status in $status, its output in $work/out
# and $work/err.
try() {
    status=0
    timeout "${TRY_SECONDS:-120}" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# answered: that diagnose found a problem (3) or cannot tell (4), or optimize cannot tell (3), is no error
# where this depends on how fast ranks were.
answered() {
    case $status in 3 | 4) status=0 ;; esac
}

# gives NAME STATUS PATTERN...: the last command ended so and its output has each pattern (ERE).
gives() {
    name=$1 expected=$2
    shift 2
    good=0
    [ "$status" = "$expected" ] || good=1
    for pattern; do
        cat "$work/out" "$work/err" | grep -Eq -- "$pattern" || {
            good=1
            echo "# misses: $pattern"
        }
    done
    result "$name" "$good"
}

# lacks NAME PATTERN: the last output has no such line.
lacks() {
    if cat "$work/out" "$work/err" | grep -Eq -- "$2"; then result "$1" 1; else result "$1" 0; fi
}

# count NAME N PATTERN: the last output has exactly N such lines.
count() {
    seen=$(cat "$work/out" "$work/err" | grep -Ec -- "$3")
    [ "$seen" = "$2" ] || echo "# seen $seen times: $3"
    [ "$seen" = "$2" ]
    result "$1" $?
}

# stored NAME EXPECTED QUERY: what the experiment store $store answers.
stored() {
    status=0
    sqlite3 "$store" "$3" >"$work/out" 2>"$work/err" || status=$?
    printf '%s\n' "$2" >"$work/expected"
    diff "$work/expected" "$work/out" | sed 's/^/# /'
    [ "$status" = 0 ] && cmp -s "$work/expected" "$work/out"
    result "$1" $?
}
