#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files of the page as texts in C: embed.sh NAME=FILE... ; files of one name are joined.
set -eu
echo '#include "page_files.h"'
last=''
for pair; do
    name=${pair%%=*}
    [ "$name" = "$last" ] || {
        [ -z "$last" ] || echo '0};'
        echo "const char report_file_${name}[] = {"
    }
    last=$name
    od -An -v -tx1 "${pair#*=}" | sed "s/ \(..\)/'\\\\x\1',/g"
done
echo '0};'
