#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The arrows between rooms go one way: a room includes only the public headers that this table
# allows it (docs/architecture.md draws it).
set -u
cd "${1:-.}" || exit 99

# room: public headers it may include
table='
base: base index command machine number shared_object
libclang: base libclang
sidl: base sidl
probe: base control probe probe_inline probe_records tau
mpi: base machine probe framework mpi
store: base index store
profile: base index chart store profile compare models formula extrap series trend
export: base index store profile extrap tau export
framework: base number shared_object assembly palette framework
framework/assembly: base number assembly palette
ccaffeine: base command assembly palette framework ccaffeine
proxygen: base shared_object command libclang callback control sidl proxygen probe framework proxy functions functions_component
mastermind: base index assembly control machine probe store framework mastermind recorder
plot: base command chart
models: base index models formula extrap local series update
optimizer: base assembly probe framework models local update optimizer callgraph choice plan store mastermind
call/report: base formula cll_report
call/runtime: base probe store cll cll_report
call/bsp: base cll mpi pub
call/obsp: base formula local models cll_report obsp pub
call/translate: base cll command formula libclang translate
call/llac: base command formula models series extrap update chart store profile cll_report obsp llac
components: base assembly control framework probe
link: base command assembly palette link program
wrap: base command assembly control probe store proxygen functions recorder wrap
cli: base machine chart llac assembly control framework ccaffeine mpi store mastermind profile export compare trend models formula extrap optimizer sidl proxygen translate probe link program wrap cll_report obsp command
examples: base assembly framework models
'
status=0
echo "1..$(echo "$table" | grep -c :)"
number=0
echo "$table" | grep : | while IFS=: read -r room allowed; do
    number=$((number + 1))
    bad=$(find "$room" -name '*.[ch]' -not -path '*/test/*' 2>/dev/null |
        xargs -r grep -HnoE '#include <portolan/[a-z_]+\.h>' |
        while IFS= read -r hit; do
            header=$(echo "$hit" | sed 's/.*<portolan\/\(.*\)\.h>/\1/')
            case " $allowed " in *" $header "*) ;; *) echo "$hit" ;; esac
        done)
    # Private headers stay inside their room.
    far=$(find "$room" -name '*.[ch]' 2>/dev/null | xargs -r grep -HnE '#include "(\.\./){2,}')
    if [ -z "$bad$far" ]; then
        echo "ok $number - $room"
    else
        echo "not ok $number - $room"
        printf '%s\n' "$bad" "$far" | sed 's/^/# /'
    fi
done
exit $status
