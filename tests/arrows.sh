#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The arrows between rooms go one way: a room includes only the public headers that this table
# allows it (docs/architecture.md draws it).
set -uf
cd "${1:-.}" || exit 99

# room, or folder in it with a rule of its own: public headers it may include
table='
base: base block doing grid health index json list number command command_line machine owner shared_object stats xml progress
base/libclang: base command libclang
sidl: base sidl
sidl/runtime: base xml
probe: base doing ending index list probe probe_inline probe_records
probe/control: base index list machine control probe tau owner
probe/counters: base probe
probe/tau: base index list control probe tau
probe/portolan: base control ending probe probe_inline probe_records tau
mpi: base index list machine probe framework mpi observer
mastermind/store: base index list machine store
mastermind/trials: base store trials
analysis/profile: base grid index json list stats store trials profile compare models progress
analysis/tables: base command chart profile models formula extrap series stats
analysis/trends: base grid index stats profile models formula extrap series trend progress
analysis/export: base index list store profile extrap tau export json trace waits replay xml progress
framework: base candidates doing shared_object assembly palette framework embed number
framework/assembly: base assembly palette xml
framework/ccaffeine: base command assembly palette framework ccaffeine index
proxygen: base shared_object command callback control proxygen probe framework proxy functions functions_component
proxygen/read: base libclang probe sidl
proxygen/emit: base candidates callback functions functions_component probe proxy
mastermind: base block index list assembly control ending machine probe record store framework mastermind recorder
base/plot: base command chart
models: base index number stats models formula extrap local series update xml
trace: base index list trace trace_event waits
trace/preload: base framework probe record
mpi/record: base list observer probe record trace_event trace_stream
trace/files: base index list trace trace_stream progress
trace/analysis: base index list trace waits
hercule: base assembly formula hercule json list replay stats store waits block
hercule/component: base block control framework hercule_assembly machine mastermind record replay trace
hercule/assembly: hercule_assembly list recorder replay
hercule/recognise: base formula hercule list trace waits replay
trace/replay: base index list number stats trace waits replay
optimizer: base json list machine stats trials assembly probe control framework models formula local series update optimizer callgraph choice measure plan race store mastermind progress
call/report: base list formula cll_report
call/runtime: base block list machine probe record store cll cll_report
call/bsp: base machine stats cll mpi pub
call/obsp: base list stats formula local models cll_report obsp pub
call/translate: base list cll command formula libclang translate
analysis/llac: base grid command formula models extrap store trials profile cll_report obsp llac stats
components: base assembly control framework probe record tau
framework/link: base command assembly palette link program progress
clue/engine: base list stats clue_engine clue_task observer
clue/machine: base command index list number stats xml clue_engine clue_machine
clue/calibrate: base command list pace stats clue_calibrate clue_machine models
clue/report: base clue_machine clue_report clue_run grid index json list number observer store trace waits
clue/carrier: base pace store clue_report stats command command_line index json list machine number shared_object clue clue_engine clue_run clue_machine clue_task observer trace trace_stream models formula update progress
clue/mpi: base index json list clue_engine clue_task observer
clue/pvm: base index list clue_engine clue_task
clue/study: base command grid json list xml chart formula clue_machine clue_study progress
project: assembly base command palette project proxygen sidl
proxygen/wrap: base command assembly control probe record store proxygen functions recorder tau wrap progress
report: base chart command compare explain grid json list mastermind assembly palette plan profile report store progress
report/serve: base list machine page_server
cli: base explain grid health project clue_calibrate stats json list machine chart clue_machine clue_study llac assembly control ending framework ccaffeine mpi store mastermind profile export compare trend models formula extrap optimizer sidl proxygen translate probe link program record recorder report hercule hercule_assembly replay trace wrap cll_report obsp command command_line progress page_server
examples: base assembly framework embed models record
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
