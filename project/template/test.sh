#!/bin/sh
# `make check`: all implementations compute the same.
for class in @.Direct @.Running; do
    "${PORTOLAN:-portolan}" run --quiet --fixed --store=build/test.db --select smoother=$class @.xml >build/$class.txt ||
        exit 1
done
diff build/@.Direct.txt build/@.Running.txt && echo 'good: both compute the same'
