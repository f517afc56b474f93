#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Computing by laws (--compute=model): times that are computed here by hand, to the nanosecond.
. "$(dirname "$0")/tap.sh"
[ "$MPI" = mpich ] || skip_all "virtual time needs MPICH's header"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'ranks are folded'
plan 24

# A library whose functions take all that registers and the stack can carry.
cat >"$work/kernel.c" <<'END'
#include <stdarg.h>
int calls;
struct pair { double a; long b; };
double mixed(int a, double b, long c, float d, const char *e, short f, long g, long h, double i,
             double j, double k, double l, double m, double n, double o, double p)
{
    calls++;
    return a + b + (double)c + d + e[0] + f + (double)(g * h) + i + 2 * j + 3 * k + 4 * l + 5 * m + 6 * n + 7 * o + 8 * p;
}
struct pair two(int a) { return (struct pair){a + 0.5, a + 1}; }
long double wide(int a) { return a + 0.25L; }
long sum(int n, ...)
{
    va_list list;
    long s = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        s += i % 2 ? (long)va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return s;
}
int by_address(const int *n) { return *n; }
void call_back(int n, void (*what)(int)) { what(n); }
int outer(int n) { return (int)two(n).b; }
END
cat >"$work/program.c" <<'END'
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { double a; long b; };
extern int calls;
double mixed(int, double, long, float, const char *, short, long, long, double, double, double, double, double, double, double, double);
struct pair two(int);
long double wide(int);
long sum(int, ...);
int by_address(const int *);
void call_back(int, void (*)(int));
int outer(int);
static void tell(int n)
{
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("told %d\n", n);
}
static void work(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* in work */
}
int main(int argc, char **argv)
{
    double (*pointer)(int, double, long, float, const char *, short, long, long, double, double, double, double, double, double, double, double) = mixed;
    const char *what = argc > 1 ? argv[1] : "";
    struct pair p;
    double began, zero;
    int n = 7, rank;
    MPI_Init(&argc, &argv); /* init */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    began = MPI_Wtime();
    if (!strcmp(what, "work"))
        for (int i = 0; i < 3; i++)
            work();
    errno = 77;
    if (!strcmp(what, "mixed"))
        printf("%.3f %.3f\n", mixed(3, 0.5, 1L << 40, 0.25f, "a", 2, 5, 6, 1, 1, 1, 1, 1, 1, 1, 1),
               pointer(-4, 0.5, 1, 0.25f, "a", 2, 5, 6, 1, 1, 1, 1, 1, 1, 1, 1));
    if (!strcmp(what, "results")) {
        p = two(4);
        printf("%.1f %ld %.2Lf %ld %d %d\n", p.a, p.b, wide(3), sum(4, 1, 2.0, 3, 4.0), by_address(&n), errno);
    }
    if (!strcmp(what, "back"))
        call_back(5, tell);
    if (!strcmp(what, "nested"))
        printf("%d\n", outer(9));
    for (int i = 0; i < 200 && !strcmp(what, "turns"); i++) {
        two(i % 5 ? 1 : 9);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(what, "abort"))
        call_back(5, (void (*)(int))abort);
    zero = MPI_Wtime(); /* last */
    printf("rank %d: %.0f ns\n", rank, 1e9 * (zero - began));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -g -O1 -shared -fPIC "$work/kernel.c" -o "$work/libkernel.so" &&
    "$MPICC" -g -O1 "$work/program.c" -o "$work/program" -L"$work" -lkernel -Wl,-rpath,"$work" || exit 99
line() {
    grep -n "/\* $1 \*/" "$work/program.c" | cut -d: -f1
}
xml() { # UNIT MATHML PARAMETER...
    xml_unit=$1 xml_body=$2
    shift 2
    echo "<model xmlns=\"urn:portolan:model:1\" name=\"law\" unit=\"$xml_unit\" quality=\"time\">"
    for parameter; do echo "<parameter name=\"$parameter\"/>"; done
    echo '<function><math xmlns="http://www.w3.org/1998/Math/MathML"><lambda>'
    for parameter; do echo "<bvar><ci>$parameter</ci></bvar>"; done
    echo "$xml_body</lambda></math></function>"
    echo '<fit family="given" weighting="relative" constants="any" rows="0" points="0" outliers="0"/>'
    echo '<error sigma="0.1" assumed="false" dof="2"/></model>'
}
xml us '<apply><times/><cn>2</cn><ci>a1</ci><ci>a6</ci></apply>' a1 a6 >"$work/two.xml"
xml ms '<apply><plus/><cn>3</cn><ci>rank</ci></apply>' rank >"$work/rank.xml"
xml bytes '<apply><times/><cn>2</cn><ci>rank</ci></apply>' rank >"$work/bytes.xml"

# run WHAT OPTION...: what no other law has takes no time
run() {
    run_what=$1
    shift
    try "$PORTOLAN" clue run --no-trial --compute=model --law '*=0' "$@" -- "$work/program" "$run_what"
}
plain() {
    try "$PORTOLAN" clue run --no-trial --compute=none "$@"
}

run work --law work=2e-6*n+1e-9 --set n=5
gives 'bursts by function: 3 (2 us x 5 + 1 ns)' 0 '^rank 0: 30003 ns$' 'virtual time +30 us|virtual time +30.00 us' \
    '^computing +by laws: .* bursts, 0 calls of functions; measured: 0 bursts'
run work -n 2 --law "program.c:$(line 'in work')=$work/rank.xml"
gives 'by line, of a rank, from a file in ms: 3 (3 + 1) ms' 0 '^rank 1: 12000000 ns$'
run work --law work=1 --law "program.c:$(line 'in work')=ranks*1e-9"
gives 'the line goes before the function' 0 '^rank 0: 3 ns$'
run work -n 4 --law "program.c:$(line 'in work')=ranks*1e-9"
gives 'the number of ranks' 0 '^rank 3: 12 ns$'
echo '<machine name="slow"><host name="node" factor="2.5"/></machine>' >"$work/slow.xml"
run work -m "$work/slow.xml" --law work=1e-6
gives "the host's factor applies: 3 x 2.5 us" 0 '^rank 0: 7500 ns$'

plain -- "$work/program" mixed
grep '^[0-9]' "$work/out" >"$work/expected"
run mixed --law "mixed=$work/two.xml"
gives 'a law of a function that is no time: 2 us x -4 x 6' 1 \
    "rank 0 in mixed at program.c:.*law of 'mixed' gives no time here: -48000 ns"
run mixed --law 'mixed=1e-6*a5*abs(a1) + 1e-9*(l2 > 2^39)'
gives 'a function by its arguments, also through a pointer: 15.001 + 20 us' 0 '^rank 0: 35001 ns$' '2 calls of functions'
grep '^[0-9]' "$work/out" | cmp -s - "$work/expected" && [ -s "$work/expected" ]
result 'registers and stack pass unchanged' $?
plain -- "$work/program" results
grep '^[0-9]' "$work/out" >"$work/expected"
run results --law two=1e-9 --law wide=2e-9 --law 'sum=a1*1e-8' --law 'by_address=p1*1e-6+0*log(exp(-1000*a1*a1))^0'
gives 'results of all kinds; an argument by address: 1 + 2 + 40 + 7000 ns' 0 '^rank 0: 7043 ns$' '^4\.5 5 3\.25 10 7 77$'
grep '^[0-9]' "$work/out" | cmp -s - "$work/expected" && [ -s "$work/expected" ]
result 'as without laws' $?
run back -n 2 --law call_back=a1*1e-6
gives 'a function that calls back, and communicates' 0 '^told 5$' '^rank 0: 5000 ns$' '^rank 1: 5000 ns$'
run nested --law outer=1e-6 --law two=1
gives "functions that it calls are in its time" 0 '^10$' '^rank 0: 1000 ns$'
run abort --law call_back=1e-6
gives 'a function that ends the program' 134 'rank 0 in call_back at program\.c:'
run mixed --law mixed=1e-6 --skip
gives 'skipped' 0 '^0\.000 0\.000$' '^rank 0: 2000 ns$' '^VOID +.*2 calls of functions were skipped'

# A record has what laws gave; a trial says by which.
run work --law work=1e-6 --record "$work/record"
plain -m "$work/slow.xml" --json - -- "$work/record"
gives 'a record has the times of laws' 0 '"virtual_ns": ?7500[,$]'
# 40 long and 160 short bursts, the same on both ranks: 520 ms.
run turns -n 2 --law two=1e-3*a1 --record "$work/turns"
plain --repeat 40 -- "$work/turns"
gives 'repetitions keep bursts' 0 'virtual time +520[. ].*median 5[0-4][0-9]'
plain -n 2 "--compute=table=$work/turns" --repetition=1 --json=- -- "$work/program" turns
gives 'also those of a program that runs again' 0 '"virtual_ns": ?520000000[,$]'
run results --law two=3e-9 --record "$work/record"
try "$PORTOLAN" clue run --no-trial "--compute=table=$work/record" -- "$work/program" results
gives 'a table has those of functions' 0 '^rank 0: 3 ns$'
store=$work/store.db
"$PORTOLAN" clue run --store "$store" --compute=model --law '*=0' --law 'work=n*1e-6' --set n=2 -- "$work/program" work >"$work/out" 2>&1
stored 'a trial names its laws' '0
n*1e-6
2' "select value from primary_metadata where name in ('law *', 'law work', 'set n') order by name"

try "$PORTOLAN" clue run --no-trial --compute=model --law work=1e-3 -- "$work/program" work
gives 'others are measured' 0 'by laws: 3 bursts, .* measured: [1-9][0-9]* bursts' '^rank 0: 3[0-9]{6} ns$'

# What is wrong is told, with what would be right.
run work --law 'wrok=1' --law work=0
gives 'a law that nothing uses' 0 "^mistake +the law of 'wrok' was never used"
run work --law "work=$work/bytes.xml" --law 'main=m*2' --set n=3 --law 'tell=1 +' --law "back=$work/none.xml"
gives 'all mistakes of laws' 1 "bytes.xml:1: error: .*'bytes' is not a law.* unit s, ms, us or ns" \
    "^--law:1: error: the law of 'main' needs 'm'.*--set m=VALUE" '^--law:1:[0-9]+: error: ' '^--law:1: error: .*none\.xml'
run work --law 'work=a1'
gives 'arguments of a function that is the program'\''s own' 1 "law of 'work' needs 'a1'.*no library function of that name"
wrong=0
wrong() { # PATTERN OPTION...
    wrong_pattern=$1
    shift
    try "$PORTOLAN" clue run --no-trial "$@" -- "$work/program"
    if [ "$status" != 2 ] || ! grep -Eq "$wrong_pattern" "$work/err"; then
        wrong=1
        echo "# misses: $wrong_pattern"
    fi
}
wrong 'which laws\? name them with --law' --compute=model
wrong 'laws need --compute=model' --law work=1
wrong 'need --compute=model and a law' --skip
wrong "a law is SITE=FILE.xml or SITE=FORMULA, not 'work'" --compute=model --law work
wrong "there are two laws of 'work'" --compute=model --law work=1 --law work=2
wrong "time of 'MPI_Send' is the machine's" --compute=model --law MPI_Send=1
wrong "a value is NAME=NUMBER, not 'n=x'" --compute=model --law work=1 --set n=x
result 'wrong usage' $wrong
