#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes docs/report.png from the page of the demo. Usage: pictures.sh BUILDDIR
set -eu
build=${1:?usage: pictures.sh BUILDDIR}
cd "$(dirname "$0")/.."
page=$build/examples/heat/plate.html
[ -e "$page" ] || sh examples/heat/demo.sh "$build"
# The browser takes the window's picture; the script of tests starts it, scrolls and cuts.
/usr/bin/python3 tests/report_page.py "$page" picture docs/report.png
ls -l docs/report.png
