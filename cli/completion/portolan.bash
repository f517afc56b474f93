# SPDX-License-Identifier: BSD-3-Clause
# Completion of `portolan` in bash. There is no list of commands and options here: both are what
# --help prints, which is made of the option tables, so that they are those of the portolan at hand.

declare -gA _portolan_said

# Keeps what the command WORD... prints as help, with each option on one line, in $help.
_portolan_ask()
{
    [[ ${_portolan_said[$*]+x} ]] ||
        _portolan_said[$*]=$(ARGP_HELP_FMT=rmargin=2000 "$@" --help 2>/dev/null </dev/null)
    help=${_portolan_said[$*]}
}

# Adds to COMPREPLY what NAMES, as help spells them, may stand for: 'ASSEMBLY.xml|STORE', 'DIR:...'.
_portolan_add()
{
    local name names=${1//[\[\]]/}

    for name in ${names//|/ }; do
        name=${name%%...*}
        case $name in
        *.[a-z]*) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!*.${name#*.}" -- "$cur" && compgen -d -- "$cur") ;;
        [a-z]*) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$name" -- "$cur") ;;
        DIR* | FOLDER*) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur") ;;
        *FILE* | STORE | TRACE | SCRIPT | PATH | HEADER | PROGRAM | IN | OUT)
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
            ;;
        esac
    done
}

# $usage is what may follow the command $*: the commands that $help lists, or the words of its usage.
_portolan_words()
{
    local line has_commands=

    usage=
    while IFS= read -r line; do
        if [[ $line =~ ^(Usage:|\ *or:)\ *(.*) ]]; then
            line=${BASH_REMATCH[2]#"$*"}
            [[ $line == *COMMAND\ * ]] && has_commands=1 || usage+=" ${line//\[OPTION...\]/}"
        elif [[ $has_commands && $line =~ ^\ \ ([a-z]+)\ + ]]; then
            usage+=" ${BASH_REMATCH[1]}"
        fi
    done <<<"$help"
}

# ${options[--store]} is the name of its argument, '' if it takes none; so is ${options[-d]}.
_portolan_options()
{
    local line pattern='^ +(-([a-zA-Z?]), )?(--[a-z][a-z0-9-]*)(\[?=([^] ]*))?'

    while IFS= read -r line; do
        [[ $line =~ $pattern ]] || continue
        options[${BASH_REMATCH[3]}]=${BASH_REMATCH[5]}
        [[ -z ${BASH_REMATCH[2]} ]] || options[-${BASH_REMATCH[2]}]=${BASH_REMATCH[5]}
    done <<<"$help"
}

_portolan()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at=1
    local help='' usage='' command=("$1") word
    local -A options=()

    COMPREPLY=()
    compopt -o filenames 2>/dev/null
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word != -- ]] || { mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return; }
    done
    # Commands may have commands of their own, as `portolan clue run`.
    while _portolan_ask "${command[@]}" && _portolan_words portolan "${command[@]:1}" &&
        ((at < COMP_CWORD)) && [[ " ${usage//[|\[\]]/ } " == *" ${COMP_WORDS[at]} "* ]]; do
        command+=("${COMP_WORDS[at++]}")
    done
    _portolan_options
    # bash makes words of both sides of '='.
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD > at || ${#command[@]} > 1)) && [[ -n ${options[$prev]-} ]]; then
        _portolan_add "${options[$prev]}"
    elif [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${!options[*]}" -- "$cur")
    else
        for word in $usage; do
            _portolan_add "$word"
        done
    fi
}

complete -F _portolan portolan
