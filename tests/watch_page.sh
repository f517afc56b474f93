#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page of `portolan watch` in Chromium while heat runs on 2 ranks: it follows, and disturbs no reader.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/browser.sh"
cd "$work" || exit 99
timeout 60 "$PORTOLAN" watch --listen=256.0.0.1 "$BUILD/examples/heat/plate.xml" >out 2>err
! grep -q 'built without' err || skip_all 'built without libmicrohttpd'

# Between two steps, script asks for a swap; then the run waits until somebody has seen it.
cp "$BUILD"/examples/heat/plate.inp .
sed 's/values="32 64 96 128"/values="8 12"/; s/name="n" type="int" value="128"/name="n" type="int" value="12"/
    s/name="steps" type="int" value="160"/name="steps" type="int" value="8"/' "$BUILD/examples/heat/plate.xml" >plate.xml
sed -e "s#<instance name=\"optimizer\"#<instance name=\"script\" class=\"command.Step\"><parameter name=\"script\" type=\"string\" value=\"$work/script\"/></instance>&#" \
    -e 's#user="swap" uses="optimizer" provider="optimizer"#user="swap" uses="optimizer" provider="script"#' \
    -e 's#<monitor instance="driver"#<connect user="script" uses="next" provider="optimizer" provides="steps"/>&#' \
    -e "s#<instance name=\"driver\"#<path dir=\"$BUILD/tests/components\"/>&#" plate.xml >scripted.xml
mkfifo seen
export work
cat >script <<'END'
cd "$work" || exit 1
case $1 in
0) "$PORTOLAN" control ctl explore off >answers 2>&1 ;;
2) "$PORTOLAN" control ctl pin solver=heat.Cholmod >>answers 2>&1 ;;
6) read -r _ <seen ;;
esac
END
browse watch_page.py
plan "$tests_run"
