#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan diagnose: scenarios, whose causes are known to the digit; traces; programs as they are; mistakes.
. "$(dirname "$0")/tap.sh"
plan 89

cd "$work" || exit 99
# Rank 0 computes 3 ms longer than the others in each of 100 rounds of 10 ms: 3/13 of three ranks of four.
cat >uneven.txt <<'S'
ranks 4
repeat 100
    on 0
        compute 13ms
    else
        compute 10ms
    end
    sendrecv (rank+1)%size from (rank-1)%size tag 1 8
    sendrecv (rank-1)%size from (rank+1)%size tag 2 8
    allreduce 8
end
S
try "$PORTOLAN" diagnose uneven.txt
gives 'without a paradigm it tells who waited, and for whom' 3 '^uneven.txt: 4 ranks, 1.3 s' \
    'late sender' '17\.3 % +17\.3 % +0\.0 % +rank 0 in main' \
    '^ +1 some ranks have more work than others +17\.3 %$' \
    '^ +100\.0 % +17\.3 % +in main' # critical path: 13 ms, 10.75 ms on average
# Ranks 4 to 7 are late together, two of them a little before the others.
sed 's/ranks 4/ranks 8/; s/on 0/on rank > 3/; s/13ms/13ms - 100us * (rank < 6)/; /sendrecv/d' uneven.txt >ties.txt
try "$PORTOLAN" diagnose ties.txt
gives 'all ranks that are as late as the last are named' 3 '^ +[0-9.]+ % .* ranks 4-7 in main$'
count 'in one line' 1 'ranks? [0-9,-]+ in main$'
try "$PORTOLAN" diagnose -p geometric uneven.txt
gives 'with one it names the cause first' 3 '^uneven.txt: paradigm geometric, 4 ranks, 1.3 s' \
    '^ +1 some pieces have more work +17\.3 % +1\.07 s +17\.3 %$'
try "$PORTOLAN" diagnose -p geometric --why 1 uneven.txt
gives 'and base, formula and samples of its numbers' 3 'run' '17\.3'
try "$PORTOLAN" diagnose -p geometric --json uneven.txt
python3 -c 'import json, jsonschema, sys
d, defs = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["$defs"]
jsonschema.validate(d, {"$ref": "#/$defs/diagnosis", "$defs": defs})
sys.exit(d["verdict"] != "problem" or round(1000 * d["findings"][0]["share"]) != 173)' "$work/out" \
    "$SOURCE/docs/report.schema.json"
result 'the same as JSON, which keeps to its schema' $?
sed 's/13ms/10ms/' uneven.txt >even.txt
try "$PORTOLAN" diagnose -p geometric even.txt
gives 'without the fault there is no finding' 0 'no problem'
try "$PORTOLAN" diagnose -p geometric even.txt
cp "$work/out" first
try "$PORTOLAN" diagnose -p geometric even.txt
cmp -s first "$work/out"
result 'the same trace gives the same bytes' $?
try "$PORTOLAN" diagnose -p geometric --threshold symptom=0.2 uneven.txt
gives 'a threshold can be set' 0

# Mistakes.
try "$PORTOLAN" diagnose -p geometrical uneven.txt
gives 'an unknown paradigm is told with the nearest one' 1 "geometrical.*geometric"
try "$PORTOLAN" diagnose -p geometric --threshold caus=1 uneven.txt
gives 'so is an unknown threshold' 1 "caus'.*cause"
sed 's/compute/compte/' uneven.txt >wrong.txt
try "$PORTOLAN" diagnose wrong.txt
gives 'mistakes of a scenario are told with their lines' 1 '^wrong.txt:4: ?.*compute' '^wrong.txt:6:'
printf 'ranks 2\ncompute 1ms/rank\n' >divided.txt
try "$PORTOLAN" diagnose divided.txt
gives 'a time that is no number' 1 '^divided.txt:2: ?.*division by 0'
printf 'ranks 2\n' >empty.txt
try "$PORTOLAN" diagnose -p pipeline empty.txt
gives 'of a run without time no share is told' 4 'stages are idle is not known' 'unexplained is not known'
try "$PORTOLAN" diagnose -p pipeline --digits 7 even.txt
gives 'more digits than there are' 2 'from 0 to 6'
try "$PORTOLAN" diagnose nothing.otf2
gives 'a file that is not there' 1 'nothing.otf2'
try "$PORTOLAN" diagnose
gives 'wrong usage' 2 'what shall be diagnosed'
try "$PORTOLAN" diagnose -p geometric --against 1 even.txt
gives 'what is for runs, of a trace' 1 "against is for runs and their trials; 'even.txt' is a trace"
try "$PORTOLAN" diagnose -p geometric --tree svg
gives 'a form of tree that there is not' 2 "unknown value 'svg'; there are: text, dot"
try "$PORTOLAN" diagnose --tree text uneven.txt
gives 'a tree of no paradigm' 2 'tree needs a paradigm'
try "$PORTOLAN" diagnose --tree text
gives 'and of nothing' 2 'name it with --paradigm'
try "$PORTOLAN" diagnose --launcher= -p geometric -- ./nothing-here
gives 'an empty launcher' 2 'launcher is empty'
try "$PORTOLAN" diagnose -p geometric --threshold nosuch=1 uneven.txt
gives 'a threshold like none' 1 "no threshold 'nosuch'; there are: symptom, observation, "
try "$PORTOLAN" diagnose -n 2 -- /bin/true
gives 'a program without MPI' 1 "nothing was recorded: '/bin/true' made no call of MPI"
try "$PORTOLAN" diagnose -- ./nothing-here
gives 'a program that is not there' 1 "nothing-here"
try "$PORTOLAN" diagnose -p geometric --threshold caus=1 -- /bin/true
gives 'an unknown threshold is told before anything runs' 1 "^portolan: error: there is no threshold 'caus'.*cause"
lacks 'and then nothing is run' '/bin/true'
try "$PORTOLAN" diagnose --repeat 2 -- ./nothing-here
gives 'what needs a paradigm' 2 'repeat needs a paradigm'
try "$PORTOLAN" diagnose -p no/file.xml uneven.txt
gives 'a declaration that is not there' 1 'no/file.xml'

mkdir known
{
    echo '(deffacts wide (paradigm (name wide))'
    seq 65 | sed 's/.*/(component (name c&) (tag &))/'
    echo '(event (name all) (expression "c1")))'
} >known/wide.clp
try "$PORTOLAN" diagnose -k known -p wide uneven.txt
gives 'more components than can be told apart' 1 "'wide' has 65 components; at most 64"
try "$PORTOLAN" diagnose -k known uneven.txt
gives 'other paradigms are suggested none the less' 3 'geometric'

# Marks of a program that was not changed, the last until its end; numbers and words.
cat >marked.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++) {
        MPI_Pcontrol(1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(2);
        for (volatile int k = 0; k < 1000000; k++)
            ;
        MPI_Pcontrol(0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
C
cat >known/marked.clp <<'X'
(deffacts m (paradigm (name marked))
  (component (name guard) (phase "1"))
  (component (name work) (kind computation) (phase "2"))
  (event (name step) (expression "guard, work"))
  (metric (name calls) (text "barriers") (formula "guard.mpi.sum") (base computing))
  (metric (name computing) (formula "guard.time.sum + work.time.sum"))
  (metric (name steps) (unit count) (formula "step.count.sum"))
  (node (name computing) (kind symptom) (metric computing))
  (node (name few) (kind cause) (under computing) (metric computing) (condition "steps < 40") (factor f))
  (factor (name f) (removal time) (of work) (remedy "{steps} steps")))
X
"$MPICC" marked.c -o marked || exit 99
try "$PORTOLAN" diagnose --json --store marks.db -k known -n 2 -p marked -- ./marked
python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
m = {x["name"]: x["value"] for x in d["metrics"]}
sys.exit(m["steps"] != 40 or not 0 < m["calls"] < m["computing"])' "$work/out"
result 'marks bind, and a paradigm comes before a file of its name' $?
sed -e 's/ *compute/    mark 3\n&/' -e 's/ *sendrecv (rank+1)/    mark 4\n&/' uneven.txt >marks.txt
cat >marks.xml <<'X'
<paradigm name="marked" is="geometric">
  <part component="compute" phase="3"/>
  <part component="send" mpi="sendrecv" phase="4"/>
  <part component="reduce" mpi="collective" phase="4"/>
</paradigm>
X
try "$PORTOLAN" diagnose -p marks.xml marks.txt
gives 'and bind parts' 3 '^ +1 some pieces have more work +17\.3 % +1\.07 s +17\.3 %$'
try "$PORTOLAN" diagnose --digits 3 uneven.txt
gives 'percentages have the digits that are wished' 3 'waiting there 17\.308 %' \
    '17\.308 % +17\.308 % +0\.000 % +rank 0 in main' '^ +1 some ranks have more work than others +17\.308 %$'
printf '(deffacts l (paradigm (name lost) (is-a geometric)))\n(defrule r (tree) =>\n(assert (holds (node nothing))))\n' >known/lost.clp
try "$PORTOLAN" diagnose -k known -p lost uneven.txt
gives 'a rule about nothing' 1 "lost.clp:3: error: there is no node 'nothing'"
rm known/lost.clp

# Declarations.
cat >own.xml <<'X'
<paradigm name="own" is="geometric">
  <part component="compte" mpi="none"/>
</paradigm>
X
try "$PORTOLAN" diagnose -p own.xml uneven.txt
gives 'a part of no component' 1 'own.xml:2.*compte.*compute'
cat >nested.xml <<'X'
<paradigm name="nested" is="amr"><nest component="restriction" paradigm="prt"/></paradigm>
X
try "$PORTOLAN" diagnose -p ./nested.xml --tree text
gives 'a composition has the trees of both' 0 'from amr' 'from prt'

in_place="s|<path dir=\".\"/>|<path dir=\"$BUILD/examples/amr\"/>|"
sed -e 's/is="amr"/is="amx"/' -e "$in_place" "$BUILD/examples/amr/amr.xml" >unknown.xml
try "$PORTOLAN" check unknown.xml
[ "$(cat "$work/err")" = "unknown.xml:53:20: error: there is no paradigm 'amx'; did you mean 'amr'?" ] && [ ! -s "$work/out" ]
result 'of an unknown paradigm nothing else is wrong' $?
sed -e 's/remedies="intra_level"/remedies="intra_levl"/' -e "$in_place" "$BUILD/examples/amr/amr.xml" >misspelt.xml
try "$PORTOLAN" check misspelt.xml
gives 'a check knows factors' 1 "^misspelt.xml:16: error: paradigm 'amr.prt.' has no factor 'intra_levl'; did you mean 'intra_level'"
sed -e 's/is="amr"/is="own"/' -e "$in_place" "$BUILD/examples/amr/amr.xml" >theirs.xml
printf '(deffacts own (paradigm (name own) (is-a amr)))\n' >known/own.clp
rm known/wide.clp
try "$PORTOLAN" check --knowledge known theirs.xml
gives 'and paradigms of others' 0 'theirs.xml: good'

# A program as it is, without sanitizers. No time is asserted, only that all was seen.
"$MPICC" "$SOURCE/examples/patterns/farm.c" -o farm || exit 99
try "$PORTOLAN" diagnose --keep kept -n 2 -p master-worker -- ./farm tasks=20
[ "$status" = 0 ] || [ "$status" = 3 ] || [ "$status" = 4 ]
result 'a program is recorded and diagnosed' $?
gives 'its output is its own' "$status" '^20 tasks, sum 190' '^farm: paradigm master-worker, 2 ranks'
lacks 'all messages have partners' 'no partner'
try "$PORTOLAN" diagnose -p master-worker kept
gives 'its trace can be kept' "$status" 'kept: paradigm master-worker, 2 ranks'
try "$PORTOLAN" diagnose --keep kept -n 2 -p master-worker -- ./farm tasks=20
gives 'and is not mixed with that of another run' 1 'kept is not empty'


killed=portolan.db.traces/new-999999999-1-$(uname -n)
running=portolan.db.traces/new-$$-1-$(uname -n)
elsewhere=portolan.db.traces/new-999999999-1-another.host
mkdir -p "$killed" "$running" "$elsewhere"
touch "$killed/0.0.trace"
# Trials: both runs above were stored, the trace of the first where it was wanted.
gives 'a failed run leaves nothing' 1 'kept is not empty'
try "$PORTOLAN" diagnose -n 2 -p master-worker --repeat 2 -- ./farm tasks=20
gives 'repeated runs are averaged' "$status" 'trace, .* MB, mean of 2 runs .*, trial 3\)$'
[ -f portolan.db.traces/3/0.0.trace ] && [ ! -e portolan.db.traces/1 ] && [ -f kept/0.0.trace ]
result 'traces are kept beside the store, or where it was said' $?
[ ! -e "$killed" ] && [ -d "$running" ] && [ -d "$elsewhere" ]
result 'what a killed diagnosis left is removed, but not what others are at' $?
try "$PORTOLAN" diagnose -p master-worker --trial 1
gives 'a trial is diagnosed again from its trace' "$status" '^portolan.db: .* trial 1$' '^experiment 3: trace of the store'
try "$PORTOLAN" diagnose --against 1 3
[ "$status" = 0 ] || [ "$status" = 3 ]
result 'two trials are compared' $?
gives 'by factor' "$status" '^trial 1: farm, paradigm master-worker, 2 ranks' '^rank-seconds: ' \
    'trial 1 +trial 3 +change$' '^  task-size +descriptions of tasks are large +[0-9.]+ % +[0-9.]+ %'
try "$PORTOLAN" diagnose --against 1 9
gives 'a trial that there is not' 1 'no trial 9'
try "$PORTOLAN" diagnose -n 2 -- ./farm tasks=20
try "$PORTOLAN" diagnose --against 4 1
gives 'a trial without a diagnosis' 1 'trial 4 has no diagnosis'
"$PORTOLAN" diagnose -p geometric --trial 4 >/dev/null 2>&1
try "$PORTOLAN" diagnose --against 4 1
gives 'trials that were seen as different paradigms' 0 'their paradigms differ' '^  task-size .* - +[0-9.]+ % +-  only one of the two looked'

# Where ranks share cores, times are processor times then, too.
try "$PORTOLAN" diagnose -n 3 --repeat 1 -p master-worker --store shared.db -- ./farm tasks=20
grep -Ev '^(20 tasks|recorded once|experiment 3|farm:)' "$work/out" >first
try "$PORTOLAN" diagnose -p master-worker --store shared.db 1
grep -Ev '^(experiment 3|shared.db:)' "$work/out" | cmp -s first -
result 'a trial of the store is diagnosed as the run was' $?

# An assembly, whose work is only communication: experiments one after the other. A launcher of one's own: whether
# ranks share cores is then not looked at.
amr="$BUILD/examples/amr/amr.xml"
set -- --launcher "$MPIEXEC -n 2" --store amr.db --repeat 1 --set driver.steps=12 --set mesh.work=0
try "$PORTOLAN" diagnose "$@" --against 1 "$amr"
gives 'a trial to compare with is looked for before anything runs' 1 'there is no trial 1'
mkdir full && touch full/file
try "$PORTOLAN" diagnose "$@" --keep full "$amr"
gives 'so is the folder that is to keep a trace' 1 'full is not empty'
try "$PORTOLAN" diagnose "$@" --keep no/such "$amr"
gives 'a folder that cannot be made, before anything runs' 1 'no/such: No such file or directory'
! "$PORTOLAN" trials amr.db | grep -q amr
result 'and then no experiment was made' $?
try "$PORTOLAN" diagnose -p geometric --why 0 even.txt
gives 'causes are counted from 1 on' 2 'at least 1'
try "$PORTOLAN" diagnose "$@" --budget 0.001 "$amr"
gives 'a budget ends it' 4 '^experiment 1: profile of .*, trial 1\)' 'communication is .* a symptom' \
    '^not made: experiment 2 \(profile of the operations of communication\): it would take about'
undisturbed="DELETE FROM primary_metadata WHERE name = 'disturbed'"
sqlite3 amr.db "$undisturbed"
try "$PORTOLAN" diagnose "$@" --budget 0 "$amr"
gives 'a budget, too; what the store has is taken' 4 '^experiment 1: profile of .*, of the store \(.*, trial 1\)' \
    'it would take about .* s, but 0 s of 0 s are left'
mkdir -p amr.db.traces/3 && touch amr.db.traces/3/old
try "$PORTOLAN" diagnose "$@" "$amr"
gives 'each experiment is a trial of its own' "$status" '^amr.xml: paradigm amr.prt., 2 ranks, .*, trial 3$' \
    '^experiment 1: .*trial 1\)' '^experiment 2: profile of the operations of communication \(.*trial 2\)' \
    '^  of communication .*guard cells' '^experiment 3: trace of .*, steps 4 to 7, .* MB \(.*trial 3\)'
lacks 'and all is matched in the window' 'no partner|part of the trace is missing'
[ ! -e amr.db.traces/3/old ]
result 'the trace of a store that was here before is gone' $?
sqlite3 amr.db "$undisturbed"
try "$PORTOLAN" diagnose "$@" --trial 1 --budget 0 "$amr"
gives 'a trial is no profile of what it did not measure' 4 '^experiment 1: .*trial 1\)' '^experiment 2: .*trial 2\)' \
    '^not made: experiment 3 \(trace of .*steps 4 to 7\): it would take about'
try "$PORTOLAN" diagnose "$@" --trial 2 -n 3 "$amr"
gives 'a trial says how many ranks there are' 1 'trial 2 ran on 2 ranks, not on 3'
try "$PORTOLAN" diagnose "$@" --launcher false "$amr"
gives 'a run that fails leaves what was found before' 4 '^amr.xml: .*, trial 2$' '^experiment 2: .*trial 2\)' \
    '^cannot tell: ' '^not made: experiment 3 \(trace.*\): the run ended with exit status 1$'
try "$PORTOLAN" diagnose "$@" --once --set driver.steps=2 "$amr"
gives 'one run may do all' "$status" 'trial 4$' '^recorded once' '^experiment 3: trace, .* MB .*trial 4\)'
sed -e 's|class="portolan.BusyWork"/>|class="portolan.ManualClock"/>|' -e '/class="portolan.Measurement"/d' \
    -e 's|provider="measurement"|provider="work"|' -e "s|<path dir=\".\"/>|<path dir=\"$BUILD/examples/amr\"/>|" "$amr" >manual.xml
try "$PORTOLAN" diagnose -n 2 --store amr.db --set driver.steps=2 manual.xml
gives 'on a clock that stands still calls keep their order' "$status" '^experiment 3: trace, .*, trial 5\)' \
    '^unexplained .* no problem: '

recorded() { # the bytes of blocks of all streams of the newest trial
    python3 -c 'import glob, struct, sys
print(sum(struct.unpack("<I", b[i + 8:i + 12])[0] for b in (open(f, "rb").read() for f in glob.glob(sys.argv[1] + "/*"))
          for i in range(0, len(b), 65536)))' "amr.db.traces/$(find amr.db.traces -mindepth 1 -printf '%f\n' | sort -n | tail -1)"
}
try "$PORTOLAN" diagnose "$@" --json --set driver.steps=60 --once "$amr"
all=$(recorded)
# Subtrees have 1 + 4 m blocks, an odd number: where each rank in turn has a block of the curve, two of four children
# lie on another rank than their parent.
python3 -c 'import json, sys
text = open(sys.argv[1]).read()
of = {m["name"]: m["value"] for m in json.loads(text[text.index("{"):])["metrics"]}
sys.exit(abs(of["restriction.levels_leaving"] - 50) > 1 or not 0 < of["restriction.levels_leaving_on_curve"] < 25)' "$work/out"
result 'of the links between blocks it knows how many leave their rank, and would along the curve' $?
"$PORTOLAN" diagnose "$@" --set driver.steps=60 "$amr" >/dev/null 2>&1
window=$(recorded)
[ "$window" -gt 0 ] && [ $((4 * window)) -le "$all" ]
result 'experiment 3 records less than a quarter of what one run would' $?

# TAU profiles serve the first two experiments: 0.24 + 0.06 s of MPI in guard cells, 0.1 s outside, of 1 s.
mkdir tau
for rank in 0 1; do
    cat >tau/profile.$rank.0.0 <<'P'
5 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls #
"main" 1 2 400000 1000000 0 GROUP="TAU_DEFAULT"
"main => GUARDCELL" 10 20 200000 500000 0 GROUP="TAU_CALLPATH"
"main => GUARDCELL => MPI_Ssend()" 10 0 240000 240000 0 GROUP="TAU_CALLPATH"
"main => GUARDCELL => MPI_Allreduce()" 10 0 60000 60000 0 GROUP="TAU_CALLPATH"
"main => MPI_Barrier()" 1 0 100000 100000 0 GROUP="TAU_CALLPATH"
0 aggregates
P
done
printf '<paradigm name="flash" is="amr"><part component="guard_cells" region="GUARDCELL"/></paradigm>\n' >flash.xml
"$PORTOLAN" import --store tau.db tau >/dev/null || exit 99
try "$PORTOLAN" diagnose -p flash.xml --store tau.db 1 flash.xml
gives 'a trial and a file that is no assembly' 1 "trial 1 or 'flash.xml', not both"
try "$PORTOLAN" diagnose -p flash.xml --store tau.db 1
gives 'profiles of TAU are experiments' 4 'communication is 40\.0 % of run time: a symptom' \
    'of communication .* guard cells 75\.0 %, .*; in no operation 25\.0 %' \
    '^cannot tell: trace of guard cells was not made$'
try "$PORTOLAN" diagnose --launcher "$MPIEXEC -n 2" --store again.db --set driver.steps=12 --set mesh.work=0 \
    --threshold runs=0 "$amr"
gives 'where runs disagree the last is made again' "$status" \
    '^portolan: note: runs disagree: .*: experiment 3 is run again$' '^experiment 3: .*, second run \(.*trial 4\)'
try "$PORTOLAN" diagnose -n 2 -p own.xml --set driver.steps=24 "$amr"
gives 'wrong parts are told before anything runs' 1 "own.xml:2.*compte"
[ ! -e portolan.db ] || ! "$PORTOLAN" trials portolan.db | grep -q amr
result 'and then nothing ran' $?
try "$PORTOLAN" diagnose -n 2 --repeat 2 --keep more -- ./farm
gives 'one folder for several runs' 2 'for one run'

looks=
for run in 'wavefront sweeps=2' 'sort rounds=3' 'stencil iterations=10' 'farm tasks=20'; do
    "$MPICC" "$SOURCE/examples/patterns/${run%% *}.c" -o "${run%% *}" || exit 99
    # shellcheck disable=SC2086 # a program and its setting
    try "$PORTOLAN" diagnose -n 2 -- ./$run
    looks="$looks$(sed -n 's/^it looks like \([a-z-]*\):.*/\1 /p' "$work/out")"
done
[ "$looks" = 'pipeline divide-and-conquer geometric master-worker ' ]
result 'of which paradigm programs are, it suggests' $?

cat >leaves.c <<'C'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
}
C
"$MPICC" leaves.c -o leaves || exit 99
try "$PORTOLAN" diagnose -n 1 -- ./leaves
gives 'a program that leaves without MPI_Finalize is told' 0 'part of the trace is missing for 1 of 1 threads'
lacks 'and where nobody waited nobody is blamed' 'ranks that made others wait'

cat >sleeps.c <<'C'
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
C
"$MPICC" sleeps.c -o sleeps || exit 99
try "$PORTOLAN" trace -o sleeps.traces -n 1 -- ./sleeps
try "$PORTOLAN" diagnose -p geometric sleeps.traces
gives 'a trace with time without a processor does not tell whose fault that is' 4 'cannot tell: a rank had no processor'
try "$PORTOLAN" diagnose -n 1 -p geometric -- ./sleeps
lacks 'but a run that diagnose starts does' 'had no processor'

try "$PORTOLAN" diagnose -n 1 --keep row -- sh -c './leaves; ./leaves'
# The launcher serves one program: the second may end by a hang-up (1) or not (0), as ranks and launcher race.
gives 'of two programs in a row the first is diagnosed, and the second is told' "$status" 'the next is in the folder 2'
try "$PORTOLAN" diagnose row/2
gives 'both are kept' 0 '^2: 1 rank,' 'part of the trace is missing for 1 of 1 threads'
cat >locks.c <<'C'
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static void *meet(void *arg)
{
    MPI_Barrier(arg ? MPI_COMM_WORLD : MPI_COMM_SELF);
    return NULL;
}
int main(int argc, char **argv)
{
    int rank, level;
    long *memory;
    pthread_t thread;
    MPI_Win window;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        usleep(20000);
    else
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Win_unlock(0, window);
    if (rank == 0)
        usleep(20000);
    pthread_create(&thread, NULL, meet, argv);
    pthread_join(thread, NULL);
    MPI_Win_free(&window);
    return MPI_Finalize();
}
C
"$MPICC" locks.c -o locks -pthread || exit 99
try "$PORTOLAN" diagnose -n 2 -- ./locks
# The thread that waits for the other's lock has less to do: whether that is a finding depends on the machine.
answered
gives 'waiting for a lock is not known, and threads have numbers' 0 \
    '^in calls that lock, unlock and flush windows [1-9][0-9.]* % of run time; how much of it is waiting' \
    'rank [01], thread [01] in'
cat >full.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000}); /* after MPI has its files */
    for (int i = 0; i < 40000; i++)
        MPI_Barrier(MPI_COMM_SELF);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (!rank)
        puts("to the end");
}
C
"$MPICC" full.c -o full.out || exit 99
try "$PORTOLAN" diagnose -n 2 -p geometric -- ./full.out
gives 'where the disk is full in the middle, that is told, and the program does not notice' "$status" '^to the end' \
    'part of the trace is missing for 2 of 2 threads'
try "$PORTOLAN" diagnose --once --set driver.n=16 --set driver.steps=2 "$BUILD/examples/heat/plate.xml"
answered
gives 'components find the files beside their assembly' 0 '^plate.xml: 2 ranks'
