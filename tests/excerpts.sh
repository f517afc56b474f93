#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares generated files with excerpts of them. Usage: excerpts.sh FILE FOLDER. FILE has a section for
# each file of FOLDER that it quotes: the line `==> NAME <==`, then pieces of that file in their order,
# with the line `...` between them. The lines of a piece follow one another in the file. Prints what
# differs, and exits with 1. UPDATE=1 reads the pieces of FILE anew, each from its first line to its
# last; where the last line stands in the piece three times, to the third. So two lines make a new piece.
file=$1
new=$(mktemp) || exit 99
trap 'rm -f "$new"' EXIT
awk -v folder="$2" '
# Prints the piece as the file has it now.
function reread(    from, to, left, i)
{
    for (i = 1; i <= n; i++)
        left += piece[i] == piece[n]
    for (from = at + 1; from <= lines && text[from] != piece[1]; from++)
        ;
    for (to = from; to <= lines && (left -= text[to] == piece[n]) > 0; to++)
        ;
    if (n && to > lines) {
        print "*** not in " name ": what begins and ends as follows"
        missing = 1
        for (i = 1; i <= n; i++)
            print piece[i]
    } else if (n) {
        for (i = from; i <= to; i++)
            print text[i]
        at = to
    }
    n = 0
}
/^==> .* <==$/ {
    reread()
    name = $2
    for (at = lines = 0; (getline line < (folder "/" name)) > 0;)
        text[++lines] = line
    print
    next
}
$0 == "..." {
    reread()
    print
    next
}
{ piece[++n] = $0 }
END {
    reread()
    exit missing
}
' "$file" >"$new" && [ -n "${UPDATE-}" ] && cp "$new" "$file"
diff -u -F "^==> " "$file" "$new"
