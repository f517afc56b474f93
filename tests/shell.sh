#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# portolan shell: from a pipe, on two ranks, on a terminal; which script comes first.
. "$(dirname "$0")/tap.sh"
plan 22

components=$BUILD/framework/ccaffeine/test/components
cd "$work" || exit 99
mkdir home
HOME=$work/home XDG_STATE_HOME=$work/state TERM=vt100
unset CCAFE_RC_FILE EDITRC
export HOME XDG_STATE_HOME TERM

# typed COMMAND...: standard input is what the command reads.
typed() {
    status=0
    timeout 120 "$@" >out 2>err || status=$?
}

# occurs NAME N TEXT: the last output has TEXT so often; mpiexec may mix the ranks' lines.
occurs() {
    seen=$(cat out err | grep -oF -- "$3" | wc -l)
    [ "$seen" = "$2" ] || echo "# seen $seen times: $3"
    [ "$seen" = "$2" ]
    result "$1" $?
}

typed "$PORTOLAN" shell --path="$components" <<'END'
create script.Starter s

# a comment
creat nonesuch
create script.Printer \
    p
connect s printer p printer
go
END
gives 'what a pipe says is run to its end, failures or not' 1 '^1.5 seconds$' \
    "^standard input:4: error: there is no class 'nonesuch'"
lacks 'without prompts' 'cca>'
typed "$PORTOLAN" shell --quiet --path="$components" <<'END'
nonsense
exit 0
END
gives 'exit 0 is what it says only without failures' 1 'standard input:1: error: unknown command'
typed "$PORTOLAN" shell --path="$components" </dev/null
gives 'nothing to do is no failure' 0
typed "$MPIEXEC" -n 2 "$PORTOLAN" shell --path="$components" <<'END'
create script.Starter s
create script.Printer p
connect s printer p printer
frob
go
exit 5
END
gives 'on two ranks rank 0 reads, and all do the same' 5
occurs 'each of them' 2 '1.5 seconds'
count 'failures are told once' 1 "standard input:4: error: unknown command 'frob'"

# script NAME COMMAND
script() {
    printf '#!ccaffeine\npath set %s\n%s\n' "$components" "$2" >"$1"
}
script home/.ccaferc 'create script.Starter home'
script env.rc 'create script.Starter environment'
script option.rc 'create script.Starter option'
script file.rc 'create script.Printer file
nonsense
create script.Printer never'
echo arena >arena
typed "$PORTOLAN" shell <arena
gives "the home's script comes first" 0 '^home of type script.Starter$'
CCAFE_RC_FILE=env.rc typed "$PORTOLAN" shell <arena
gives 'or that of CCAFE_RC_FILE' 0 '^environment of type script.Starter$'
lacks 'in its place' 'home of type'
CCAFE_RC_FILE=env.rc typed "$PORTOLAN" shell --ccafe-rc=option.rc <arena
gives 'or that of the option' 0 '^option of type script.Starter$'
lacks 'in its place, too' 'environment of type'
CCAFE_RC_FILE=none.rc typed "$PORTOLAN" shell <arena
gives 'one that is not there gives way to the next' 0 'warning: CCAFE_RC_FILE: .none.rc.' \
    '^home of type script.Starter$'
typed "$PORTOLAN" shell --ccafe-rc=none.rc <arena
gives 'but not the option' 1 'none.rc: No such file'
CCAFE_RC_FILE=env.rc typed "$PORTOLAN" shell --no-rc <arena
gives 'none if none is wanted' 0 '^!no instantiated components available$'
typed "$PORTOLAN" shell file.rc <arena
gives 'a script on the command line is the second, to its first failure, which the status tells' 1 \
    '^file.rc:4: error: unknown command' '^home of type' '^file of type'
lacks 'and no further' 'never of type'

command -v python3 >/dev/null || {
    for name in 1 2 3 4 5; do result "terminal $name # SKIP no python3" 0; done
    exit 0
}
# What is typed (blanks as _), and what must then be seen.
typed python3 "$SOURCE/tests/terminal.py" "$PORTOLAN" shell --no-rc --path="$components" <<'END'
- cca> 
crea\tscript.St\ts\r s of type script\.Starter .*cca> 
create_script.Pri\t t
\t PrintServer +script\.Printer
er_p\r p of type script\.Printer .*cca> 
nonsense_that_is s
\x03 \n.*cca> 
connect_s_\tp_\t\r connection made successfully.*cca> 
bogus\r unknown command .bogus.*cca> 
parameters_s_CONFIG_la\tabc\r updated parameter s CONFIG label.*cca> 
go_s_\\\r    > 
go\r abc.*1.5 seconds.*cca> 
\x04 \n
END
gives 'a terminal has completion, and Ctrl-C drops the line' 0
[ "$status" = 0 ] || sed 's/^/# /' out
grep -q 'connect.040s.040printer.040p.040printer' state/portolan/history
result 'what was typed is kept' $?
grep -q 'nonsense' state/portolan/history
[ $? = 1 ]
result 'what was dropped is not' $?
typed python3 "$SOURCE/tests/terminal.py" "$PORTOLAN" shell --no-rc --path="$components" <<'END'
- cca> 
\x10\x10\x10\x10\x10\r there is no instance 's'.*cca> 
help_go\r go port.*cca> 
quit_3\r bye!
END
gives 'the next session has it, and exits with a status' 3
[ "$status" = 3 ] || sed 's/^/# /' out
[ "$(stat -c %a state/portolan)" = 700 ]
result 'for the user alone' $?
