#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The arrows between rooms go one way: a room includes only the public headers that this table
# allows it. So do the calls between the folders of a room, which arrows_calls.py tests; it also makes
# the last column of the table of docs/architecture.md of both tables.
set -uf
cd "${1:-.}" || exit 99

# room, or folder in it with a rule of its own: public headers it may include
table='
base: base block doing grid health index json list number command command_line machine owner shared_object stats supervise xml progress
base/libclang: base command libclang
base/terminal: base machine terminal
sidl: base sidl
sidl/compiler: base sidl
sidl/runtime: base xml
sidl/fortran: base
probe: base doing ending index list probe probe_inline probe_records
probe/control: base index list machine control probe tau owner
probe/client: base json control_client list machine
probe/counters: base probe
probe/tau: base index list control probe tau
probe/portolan: base control ending probe probe_inline probe_node_inline probe_records tau
mpi: base index list machine probe framework communicator mpi observer
mastermind/store: base index list machine store store_calls store_decisions
mastermind/trials: base store trials
analysis/profile: base grid index json list stats store trials profile compare models progress
analysis/tables: base command chart profile models formula extrap series stats
analysis/trends: base grid index stats profile models formula extrap series trend progress
analysis/export: base index list store profile extrap tau export json trace waits replay xml progress
framework: base assembly palette framework
framework/status: base framework
framework/parameters: base framework number
framework/core: base candidates doing shared_object assembly palette framework embed
framework/assembly: base assembly list options palette xml
framework/ccaffeine: base command assembly palette framework ccaffeine index
proxygen: base command proxygen probe
proxygen/model: base probe proxygen
proxygen/runtime: base shared_object callback control probe framework proxy functions functions_component
proxygen/read: base libclang probe sidl
proxygen/emit: base candidates callback communicator functions functions_component probe proxy
mastermind: base assembly palette probe store
mastermind/recorder: base block list control ending machine palette probe record store mastermind recorder settle assembly
mastermind/component: base control ending probe store framework mastermind recorder
base/plot: base command chart
models: base number stats models formula
models/formula: base number models formula
models/fit: base number stats models formula local series update
models/exchange: base number index models formula extrap xml
trace: base trace trace_event waits
trace/model: base index list trace
trace/preload: base framework probe record
mpi/record: base list observer probe record trace_event trace_stream
trace/files: base index list trace trace_stream progress
trace/analysis: base index list trace waits
hercule: base assembly formula hercule json list replay stats store waits block
hercule/component: base block control framework hercule_assembly machine mastermind record replay trace
hercule/assembly: hercule_assembly list recorder replay
hercule/recognise: base formula hercule list trace waits replay
hercule/experiments: base command hercule hercule_assembly hercule_experiments assembly list machine progress record recorder replay settle store trace trials waits wrap
trace/replay: base index list number stats trace waits replay
optimizer: answer base assembly callgraph measure choice models plan race store
optimizer/library: answer base json list machine stats trials assembly callgraph choice measure models formula local plan race series store update progress
optimizer/component: base json list trials control framework mastermind optimizer plan probe race store
optimizer/study: answer assembly base command cores framework json list machine measure optimizer options palette program recorder session settle store study supervise trials trial_command trial_store tune workbench
optimizer/tune: assembly base command json list machine options plan recorder store supervise trials tune xml
call/report: base list formula cll_report
call/runtime: base block list machine probe record store cll cll_report
call/bsp: base machine stats cll mpi pub
call/obsp: base list stats formula local models cll_report obsp
call/translate: base list cll command formula libclang translate
analysis/llac: base grid command formula models extrap store trials profile cll_report obsp llac stats
components: base assembly control framework probe record tau
framework/link: base command assembly palette link program progress
clue/engine: base list stats clue_engine clue_task observer
clue/machine: base command index list number stats xml clue_engine clue_machine
clue/calibrate: base command list machine progress stats clue_calibrate clue_machine
clue/report: base clue_machine clue_report clue_run grid index json list number observer store trace waits
clue/carrier: base store clue_report stats command command_line index json list machine number shared_object clue clue_engine clue_run clue_machine clue_task observer trace trace_stream models formula update progress
clue/mpi: base index json list clue_engine clue_task observer
clue/pvm: base index list clue_engine clue_task
clue/study: base command grid json list xml chart formula clue_machine clue_study progress
project/health: base command framework health list machine palette probe progress store examine
project: assembly base command palette project proxygen sidl
proxygen/wrap: base command stats assembly control probe record store proxygen functions recorder tau wrap progress
report: answer base chart command compare explain follow grid json list mastermind measure assembly palette plan profile report store progress tune
report/follow: base follow json store
report/source: base explain report report_source study trials trial_store tune wrap
report/serve: base list machine page_server
cli: base examine explain grid health project clue_calibrate stats json list machine chart clue_machine clue_study llac assembly control ending framework ccaffeine mpi store mastermind profile export compare trend models formula extrap optimizer sidl proxygen translate probe link program record recorder report hercule hercule_assembly hercule_experiments trace wrap cll_report obsp command command_line cores progress page_server terminal control_client follow options report_source session study trials trial_command trial_store tune
python: base framework list machine mpi report session store study trials
examples: base assembly framework embed models record
'
# Folder, how many of its files may stand in rings of files that call each other, and the other folders
# of its room that it may call. The sum of a room's numbers may only fall. = marks a call against the arrow of the folder
# that is called: remove it.
# shellcheck disable=SC2034 # arrows_calls.py reads it
calls='
analysis/export 0: analysis/profile
analysis/llac 13: analysis/profile analysis/tables
analysis/profile 3:
analysis/tables 0: analysis/profile
analysis/trends 0: analysis/profile analysis/tables
base/libclang 0: base
base/plot 0: base
base/terminal 0: base
call/bsp 5: call/runtime
call/obsp 0: call/report
call/report 2:
call/runtime 5: call/report
call/translate 10:
cli 6:
clue/calibrate 0: clue/machine
clue/calibrate/program 0: clue/calibrate/shim
clue/carrier 22: clue/machine clue/report
clue/carrier/apart 2: clue/carrier
clue/machine 6:
clue/mpi 16: clue/carrier
clue/pvm 7: clue/carrier
clue/report 0: clue/machine
clue/study 3: clue/machine
components/manual_clock 0: components/measurement
framework/assembly 0:
framework/ccaffeine 11: framework/assembly framework/core framework/parameters framework/status
framework/core 13: framework/assembly framework/parameters framework/status
framework/link 0: framework/assembly
framework/parameters 0: framework/status
hercule 5: hercule/recognise
hercule/assembly 0: hercule
hercule/component 0: hercule hercule/assembly
hercule/experiments 0: hercule hercule/assembly hercule/recognise
mastermind/component 0: mastermind/recorder mastermind/store
mastermind/recorder 0: mastermind/store
mastermind/store 4:
mastermind/trials 0: mastermind/store
models 2: models/formula
models/exchange 2: models models/formula
models/fit 0: models models/formula
models/formula 2:
mpi 4:
optimizer/component 10: optimizer/library
optimizer/study 0: optimizer/library optimizer/tune
optimizer/tune 0: optimizer/library
probe 9: probe/counters
probe/control 2: probe probe/counters probe/tau
probe/client 0:
probe/counters 0:
probe/tau 0: probe probe/counters
proxygen 0: proxygen/emit proxygen/model proxygen/read
proxygen/emit 2: proxygen/model
proxygen/read 6: proxygen/model
proxygen/runtime 4:
proxygen/wrap 0: proxygen proxygen/runtime
proxygen/wrap/inside 5: proxygen/runtime
python 5: optimizer/study
sidl/compiler 10:
report 0: report/follow
report/follow 0:
report/source 0: report
sidl/fortran 0: sidl/runtime
sidl/runtime 9:
trace/analysis 8: trace/model
trace/files 4: trace/model
mpi/record 2: mpi
trace/preload 0:
trace/replay 3: trace/analysis trace/model
'
status=0
echo "1..$(($(echo "$table" | grep -c :) + 1))"
number=0
echo "$table" | grep : | while IFS=: read -r room allowed; do
    number=$((number + 1))
    # A folder with a row of its own is not judged by the row of the folder around it.
    inner=$(echo "$table" | sed -n "s|^\\($room/[^:]*\\):.*|-not -path \\1/*|p")
    bad=$(find "$room" -name '*.[ch]' -not -path '*/test/*' $inner 2>/dev/null |
        xargs -r grep -HnoE '#include <portolan/[a-z_]+\.h>' |
        while IFS= read -r hit; do
            header=$(echo "$hit" | sed 's/.*<portolan\/\(.*\)\.h>/\1/')
            case " $allowed " in *" $header "*) ;; *) echo "$hit" ;; esac
        done)
    # Private headers stay inside their room, and those of a folder in it inside that.
    far=$(find "$room" -name '*.[ch]' 2>/dev/null | xargs -r grep -HnE '#include "\.\./(\.\./|[a-z_]+/)' |
        grep -v '/test/[^:]*:[0-9]*:#include "\.\./[a-z_]')
    if [ -z "$bad$far" ]; then
        echo "ok $number - $room"
    else
        echo "not ok $number - $room"
        printf '%s\n' "$bad" "$far" | sed 's/^/# /'
    fi
done

# What docs/architecture.md names in `…`: files, of which `_check.c` is the end, and rooms of the table.
missing=$(
    grep -oE '`[A-Za-z0-9_/]+\.(c|h|sql|rng)`' docs/architecture.md | tr -d '`' | sort -u | while read -r name; do
        case $name in _*) ;; *) name=/$name ;; esac
        [ -n "$(find . -path './build*' -prune -o -path "*$name" -print -quit)" ] || echo "$name"
    done
    sed -n 's/^| `\([a-z_/]*\)`.*/\1/p' docs/architecture.md | while read -r room; do
        [ -d "$room" ] || echo "$room"
    done
    for decision in $(ls docs/decisions | grep '^[0-9]'); do # each has its line in the index
        grep -qF "($decision)" docs/decisions/README.md || echo "$decision"
    done
)
if [ -z "$missing" ]; then
    echo "ok $(($(echo "$table" | grep -c :) + 1)) - docs/architecture.md names what is there"
else
    echo "not ok $(($(echo "$table" | grep -c :) + 1)) - docs/architecture.md names what is there"
    printf '%s\n' "$missing" | sed 's/^/# /'
fi
exit $status
