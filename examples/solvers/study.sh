#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# study.sh BUILDDIR [solvers | ffts | factors] [options]: the study, with what was built there.
. "${1:?study.sh: wanted the folder in which Portolan was built}/tests/devenv.sh"
exec python3 "$(dirname "$0")/study.py" "$@"
