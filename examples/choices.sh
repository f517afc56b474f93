#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# choices.sh BUILDDIR [options]: choices for the heat and paper examples, held against fixed runs.
. "${1:?choices.sh: wanted the folder in which Portolan was built}/tests/devenv.sh"
exec python3 "$(dirname "$0")/choices.py" "$@"
