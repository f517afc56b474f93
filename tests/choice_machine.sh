#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# For whom measurements hold: the machine and build, the number of ranks, the input; and how measure
# measures. The last part has real work on the real clock.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/choice/study.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'hundreds of processes, which run elsewhere with sanitizers'
plan 30

solvers='Safe us=3
Fast us=1'
sweep='vary n 100 200 300 400
set steps 4'

for fact in host processor; do
    study "other_$fact" "$solvers" "$sweep"
    measure
    gives "$fact: measure says what machine it is" 0 'load|cores|processors'
    optimize
    chooses 'here it is known' Fast
    sqlite3 "$store" "UPDATE primary_metadata SET value = 'elsewhere' WHERE name = '$fact'"
    optimize
    gives 'of another there is no choice, and it is said how to have one' 3 "$fact" 'elsewhere' \
        '--any-machine|portolan measure'
    optimize --any-machine
    chooses 'asked for, it is used, and said' Fast 'elsewhere|another|other'
    run
    gives 'a run goes on as it stands, and says why' 0 "$fact|elsewhere"
    swaps 'without a swap' ''
done

# A component compiled anew: what its newest trial says is today's.
study rebuilt "$solvers" "$sweep"
measure
sqlite3 "$store" "UPDATE primary_metadata SET value = 'elsewhere' WHERE name = 'compiled choice.so'"
run --fixed
optimize
never 'what was measured of another build is not used' Fast
gives 'and that is said' "$status" 'compiled choice.so|build|elsewhere'
optimize --any-machine
chooses 'asked for, it is used' Fast

# One store, four readers: what was measured ten times slower elsewhere, in virtual time or in a
# trial that failed is no evidence for any of them; a trial that was stopped is.
answers() {
    optimize
    grep -E 'solver|predicted' "$work/out" >"$1.answers"
    for by in parameters both; do
        try "$PORTOLAN" model list --by=$by "$store"
        sed -n 's/ \[choice\.\(Safe\|Fast\)\] *[0-9]* / \1 /p' "$work/out" >>"$1.answers"
    done
    echo "load '$store'; fit solver_solve_Fast of TIME" >"$1.llac"
    try "$PORTOLAN" llac "$1.llac"
    grep -E '^  [0-9.e-]+ n$' "$work/out" >>"$1.answers"
}
study clean "$solvers" "$sweep"
measure
answers clean
study readers "$solvers" "$sweep"
for kind in host 'virtual machine' failed; do
    run --fixed solver=Fast n=400
    sqlite3 "$store" "UPDATE call_data SET inclusive = 10 * inclusive, exclusive = 10 * exclusive
            WHERE id > (SELECT coalesce(max(last), 0) FROM call_piece WHERE step IN
                (SELECT id FROM step WHERE trial < (SELECT max(id) FROM trial)));
        UPDATE summary SET inclusive = 10 * inclusive, exclusive = 10 * exclusive
            WHERE trial = (SELECT max(id) FROM trial);
        UPDATE trial SET outcome = '$kind'
            WHERE '$kind' = 'failed' AND id = (SELECT max(id) FROM trial);
        INSERT OR REPLACE INTO primary_metadata (trial, name, value)
            SELECT max(id), '$kind', 'elsewhere' FROM trial GROUP BY 2 HAVING '$kind' <> 'failed'"
done
measure
run --fixed solver=Fast n=300
sqlite3 "$store" "UPDATE trial SET outcome = 'running' WHERE id = (SELECT max(id) FROM trial)"
answers readers
try diff clean.answers readers.answers
gives 'the choice, both kinds of models and llac say the same as without them' 0
try "$PORTOLAN" model list --by=both "$store"
gives 'and what is left out' 0 '1 trial is left out, which failed; 2 trials .* machine or build'

# Ranks.
study ranks "$solvers" "$sweep"
ranks=2
measure
ranks=1
run
gives 'measured on two ranks, run on one: ends well' 0
gives 'in a line with the command that would help' 0 '2 ranks.*(measure|mpiexec)|(measure|mpiexec).* -n 1 '
lacks 'and no half sentence' 'never measured with *$'
stored 'no decision is stored without a reason that says so' 0 "SELECT count(*) FROM decision
    WHERE NOT (reason LIKE '%2 ranks%' OR reason LIKE '%known%' OR reason LIKE '%measured%')"
study nothing "$solvers" "$sweep"
run
gives 'a store that knows nothing: a run says so, with the command that would help' 0 \
    'portolan measure'
stored 'and does not say that nothing is better' 0 \
    "SELECT count(*) FROM decision WHERE reason LIKE '%nothing is better%'"
stored 'if anything, that nothing is known' 0 "SELECT count(*) FROM decision
    WHERE NOT (reason LIKE '%known%' OR reason LIKE '%measured%')"
study several "$solvers" "$sweep"
for ranks in 1 2; do
    measure
done
for ranks in 1 2; do
    run
    swaps "measured on both, run on $ranks: swaps" '0 Safe Fast'
done
ranks=1

# The real clock, and real work, in place of what they are.
busy() {
    sed -i 's|<instance name="clock" class="portolan.ManualClock"/>|<instance name="clock" class="portolan.BusyWork"/><instance name="time" class="portolan.Measurement"/>|
        s|provider="clock" provides="measurement"|provider="time" provides="measurement"|' "$assembly"
}

# Real work: n is in milliseconds, cubed; the last two sizes do not fit the budget.
study budget 'Safe us=20 exponent=3
Fast us=10 exponent=3' 'vary n 10 20 40 80 160
set steps 1'
busy
measure --budget=6
gives 'the budget ends measuring, and that is said' 0 'budget'
# The shortest trial takes 10 ms; half a second is for the last one.
stored 'it holds' 1 'SELECT sum(elapsed_ns) < 6.5e9 FROM trial'
stored 'and is used' 1 'SELECT sum(elapsed_ns) > 0.3e9 FROM trial'
study repeated 'Safe us=20 exponent=3
Fast us=10 exponent=3' 'vary n 5 10
set steps 1'
busy
measure --budget=6
stored 'trials are repeated' 1 "SELECT max(n) > 1 FROM (SELECT count(*) AS n FROM trial
    JOIN trial_implementation i ON i.trial = trial.id AND i.name = 'solver'
    JOIN trial_parameter p ON p.trial = trial.id AND p.name = 'driver.n'
    GROUP BY i.value, p.value)"
