# SPDX-License-Identifier: BSD-3-Clause
# Writes C from routines.list. Run as: awk -v what=wrappers|names -f generate.awk routines.list
#   names:    ROUTINE(Name) rows, for the enumeration and the table of names
#   wrappers: one wrapper per routine

function trim(s)
{
    gsub(/^ +| +$/, "", s)
    return s
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
            exit_with(part[i])
        out = out (i > 1 ? ", " : "") trim(substr(part[i], RSTART, RLENGTH))
    }
    return out
}

function exit_with(text)
{
    printf "%s:%d: error: no parameter name in '%s'\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    print "/* Written by generate.awk from routines.list; edit that instead. */"
}

/^#/ || /^ *$/ { next }

{
    open = index($0, "(")
    match($0, /\)[^)]*$/)
    name = substr($0, 1, open - 1)
    parameters = substr($0, open + 1, RSTART - open - 1)
    rest = substr($0, RSTART + 1)
    if (what == "names") {
        printf "ROUTINE(%s)\n", name
        next
    }
    bytes = "0"
    if (split(rest, bar, /\|/) == 2) {
        if (split(trim(bar[2]), f, / +/) != 3)
            exit_with(rest)
        bytes = sprintf("mpi_bytes(%s, (MPI_Count)%s, %s)", f[1], f[2], f[3])
    }
    printf "\nPORTOLAN_API int MPI_%s(%s)\n{\n    int result;\n\n", name, parameters
    printf "    portolan_probe_mpi_enter();\n"
    printf "    result = PMPI_%s(%s);\n", name, arguments(parameters)
    printf "    mpi_count(MPI_ROUTINE_%s, portolan_probe_mpi_leave(), %s);\n", name, bytes
    printf "    return result;\n}\n"
}

END {
    if (failed)
        exit 1
}
