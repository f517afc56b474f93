# SPDX-License-Identifier: BSD-3-Clause
# Writes C from routines.list. Run as: awk -v what=names|blocking|forms|yielding|wrappers -f generate.awk FILE
#   names:    ROUTINE(Name) rows, for the enumeration and the table of names
#   blocking: the same for those that have a form that yields
#   forms:    declares mpi_yielding_Name, and mpi_do_Name, which is that or PMPI_Name
#   yielding: mpi_yielding_Name of those whose other form is named
#   wrappers: one wrapper per routine

function trim(s)
{
    gsub(/^ +| +$/, "", s)
    return s
}

function exit_with(text)
{
    printf "%s:%d: error: %s\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
    exit 1
}

# "int a, const void *b, int c[][3]" -> "a, b, c"
function arguments(parameters,    n, i, part, out)
{
    if (parameters == "void")
        return ""
    n = split(parameters, part, /,/)
    out = ""
    for (i = 1; i <= n; i++) {
        sub(/(\[[^]]*\])+ *$/, "", part[i])
        if (!match(part[i], /[A-Za-z_][A-Za-z_0-9]* *$/))
            exit_with("no parameter name in '" part[i] "'")
        out = out (i > 1 ? ", " : "") trim(substr(part[i], RSTART, RLENGTH))
    }
    return out
}

# Not in MPI 3.1, which Open MPI 4 is.
function is_new()
{
    return name ~ /_c$|^P(send|recv|ready|arrived)|^Isendrecv|^Comm_idup_with_info$/ ||
           (name ~ /_init$/ && name !~ /^[BSR]*s?end_init$|^Recv_init$/)
}

# narrow.h has what they are made of.
function is_used_inside()
{
    return name ~ /^(Send|Recv|Mrecv|Bcast|Allreduce|Sendrecv|Sendrecv_replace)_c$/
}

# Its two forms do not match each other.
function is_collective()
{
    return parameters ~ /MPI_Comm comm$/ && parameters !~ /int (tag|sendtag)/
}

function write_forms()
{
    printf "\nint mpi_yielding_%s(%s);\n", name, parameters
    printf "static inline int mpi_do_%s(%s)\n{\n", name, parameters
    printf "    return %s ? mpi_yielding_%s(%s)", is_collective() ? "mpi_yields" : "mpi_yields_now()",
        name, given
    printf " : PMPI_%s(%s);\n}\n", name, given
}

# Tests until it is done, yielding the processor between.
function write_loop()
{
    printf "    unsigned misses = 0;\n    int result, is_done = 0;\n\n"
    printf "    while ((result = PMPI_%s) == MPI_SUCCESS && !is_done)\n", other
    printf "        mpi_relax(&misses);\n    return result;\n}\n"
}

function write_yielding(    begun, status)
{
    printf "\nint mpi_yielding_%s(%s)\n{\n", name, parameters
    if (other ~ /\(/) {
        write_loop()
        return
    }
    if (other ~ /^as /) {
        printf "    return mpi_yielding_%s(%s);\n}\n", substr(other, 4), given
        return
    }
    begun = given
    status = sub(/, status$/, "", begun) ? "status" : "MPI_STATUS_IGNORE"
    printf "    MPI_Request request;\n"
    printf "    int result = PMPI_%s(%s, &request);\n\n", other, begun
    # Where a request says nothing of its communicator, neither do errors of the blocking routine.
    printf "    return result == MPI_SUCCESS ? %s&request, %s) : result;\n}\n",
        parameters ~ /MPI_Comm comm/ ? "mpi_await(comm, " : "mpi_yielding_Wait(", status
}

# "watch(a, b, statuses) then note(...)": leaves the note.
function write_watch(    watched, statuses)
{
    watched = note
    sub(/^watch\(/, "", watched)
    sub(/\) then .*/, "", watched)
    statuses = watched
    sub(/.*, /, "", statuses)
    sub(/.*\) then /, "", note)
    sub(/\(/, "(\\&watched, ", note)
    if (parameters ~ /int \*indx/)
        printf "    *indx = MPI_UNDEFINED;\n"
    printf "    %s = mpi_watch(&watched, %s);\n", statuses, watched
}

# The program's own MPI_Name comes first, if it has one.
function write_call()
{
    printf "    if (__builtin_expect(mpi_next[MPI_ROUTINE_%s] != NULL, 0))\n", name
    printf "        call.result = ((int (*)(%s))mpi_next[MPI_ROUTINE_%s])(%s);\n", parameters, name, given
    printf "    else\n        call.result = %s_%s(%s);\n", other == "" ? "PMPI" : "mpi_do", name, given
}

function write_wrapper(    found)
{
    printf "\nPORTOLAN_API int MPI_%s(%s)\n{\n", name, parameters
    if (note ~ /^watch/)
        printf "    struct mpi_watched watched;\n"
    printf "    MPI_BEGIN_NOTE(call, %s);\n\n", name
    if (note ~ /^watch/)
        write_watch()
    if (note ~ /^(received|exchanged|matched)/)
        printf "    status = mpi_status(&call, status);\n"
    if (note ~ /_message\(/)
        printf "    mpi_take_message(&call, message);\n"
    found = parameters ~ /int \*flag/ ? "flag" : name == "Testsome" ? "outcount" : ""
    if (found != "")
        printf "    call.found = %s;\n", found
    printf "    mpi_begin_call(&call);\n"
    if (note ~ /^freed/)
        printf "    mpi_hold_%s;\n", note ~ /window/ ? "window(&call, *win)" : "comm(&call, *comm)"
    write_call()
    printf "    call.ticks = portolan_probe_mpi_leave();\n"
    if (other != "")
        printf "    mpi_waited(call.ticks);\n"
    if (note == "")
        printf "    mpi_note(&call);\n"
    else
        printf "    mpi_note_%s\n", sub_call(note)
    printf "    mpi_end_call(&call);\n    return call.result;\n}\n"
}

# "sent(a, b)" -> "sent(&call, a, b, tag, NULL);": adds arguments for the observer
function sub_call(note,    request, root)
{
    request = parameters ~ /MPI_Request \*request/ ? "request" : "NULL"
    root = parameters ~ /int root,/ ? "root" : "PORTOLAN_MPI_NONE"
    if (note ~ /^collective/) {
        sub(/, request\)$/, ")", note)
        sub(/\)$/, ", comm, " root ", " request ")", note)
    } else if (note ~ /^sent\(/)
        sub(/\)$/, ", tag, " request ")", note)
    else if (note ~ /^exchanged\(/)
        sub(/\)$/, ", sendtag)", note)
    else if (note ~ /^exchanging\(/)
        sub(/\)$/, ", sendtag, recvtag, request)", note)
    else if (note ~ /^(sending_again|receiving|receiving_again)\(/)
        sub(/, request\)$/, ", tag, request)", note)
    if (!sub(/\(/, "(\\&call, ", note))
        exit_with("'" note "' is no note of a call")
    sub(/, \)$/, ")", note)
    return note ";"
}

# Makes the form for large counts of the routine.
function widen(    n, i, part)
{
    name = name "_c"
    n = split(parameters, part, /, /)
    parameters = ""
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /(count|size|counts\[\])$/)
            sub(/^(const )?int /, "&MPI_Count ", part[i])
        if (part[i] ~ /disp(l?s\[\]|_unit|lacement)?$/)
            sub(/^(const )?int /, "&MPI_Aint ", part[i])
        sub(/int MPI_/, "MPI_", part[i])
        parameters = parameters (i > 1 ? ", " : "") part[i]
    }
    if (other ~ /^as /)
        other = "own"
    else if (other ~ /^[A-Za-z_]+$/ && other != "own")
        other = other "_c"
}

function write(    guarded)
{
    given = arguments(parameters)
    guarded = is_new() && !((what == "forms" || what == "yielding") && is_used_inside())
    if (guarded)
        print "#if MPI_VERSION >= 4"
    if (what == "names" || (what == "blocking" && other != ""))
        printf "ROUTINE(%s)\n", name
    else if (what == "forms" && other != "")
        write_forms()
    else if (what == "yielding" && other != "" && other != "own")
        write_yielding()
    else if (what == "wrappers" && note != "by hand")
        write_wrapper()
    if (guarded)
        print "#endif"
}

BEGIN {
    print "/* Written by generate.awk from routines.list; edit that instead. */"
}

/^#/ || /^ *$/ { next }

{
    n = split($0, column, /\|/)
    prototype = trim(column[1])
    note = n > 1 ? trim(column[2]) : ""
    other = n > 2 ? trim(column[3]) : ""
    open = index(prototype, "(")
    if (n > 3 || !open || prototype !~ /\)$/)
        exit_with("not a prototype with at most two bars behind it")
    name = substr(prototype, 1, open - 1)
    parameters = substr(prototype, open + 1, length(prototype) - open - 1)
    has_large = sub(/\[_c\]$/, "", name)
    noted = note
    write()
    if (has_large) {
        note = noted
        widen()
        write()
    }
}

END {
    if (failed)
        exit 1
}
