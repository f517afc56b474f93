#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cases from a file: set by name on the command line, and stored with the run.
. "$(dirname "$0")/tap.sh"
plan 8

paper=$BUILD/examples/paper
sed -e '/<vary/d' -e 's|</sweep>|<cases file="data/cases.csv"/></sweep>|' \
    -e "s|<path dir=\"\\.\"/>|<path dir=\"$paper\"/>|" "$paper/paper.xml" >"$work/cases.xml"
mkdir "$work/data"
printf 'driver.x,symmetric\n1.5,1\n2.5,0\n' >"$work/data/cases.csv"

try "$PORTOLAN" check "$work/cases.xml"
gives 'a file beside the assembly' 0 'cases.xml: good'
store=$work/store.db
try "$PORTOLAN" run --fixed --case 2.5 --set driver.steps=1 --store "$store" "$work/cases.xml"
gives 'a case is run' 0
stored 'with its parameters' 2.5 "SELECT value FROM trial_parameter WHERE name = 'driver.x'"
try "$PORTOLAN" check --case 2.4 "$work/cases.xml"
gives 'an unknown case' 1 "no case '2.4'; did you mean '2.5'"
try "$PORTOLAN" predict --case 1.5 --case 2.5 "$work/cases.xml"
gives 'one case is predicted' 2 "one case at a time, but '2.5'"
try "$PORTOLAN" predict --context symmetric "$work/cases.xml"
gives 'a context without a value' 2 "--context needs NAME=NUMBER, not 'symmetric'"
try "$PORTOLAN" check --case 1 "$paper/paper.xml"
gives 'no cases at all' 1 'lists no cases'
printf 'driver.x,symmetric\n1.5,yes\n' >"$work/data/cases.csv"
try "$PORTOLAN" check "$work/cases.xml"
gives 'a mistake is told with its line' 1 'data/cases.csv:2: error: value .yes. of context .symmetric.'
