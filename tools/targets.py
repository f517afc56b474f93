#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the files of build folder BUILDDIR that `make` builds: the installed files and the examples.
`ninja` alone builds the tests as well. Usage: targets.py BUILDDIR"""
import json
import os
import sys

build = os.path.abspath(sys.argv[1])
examples = os.sep + "examples" + os.sep
with open(os.path.join(build, "meson-info", "intro-targets.json")) as listed:
    for target in json.load(listed):
        is_example = examples in target["defined_in"] and target["build_by_default"]
        is_test = target["name"].startswith(("test_", "fuzz_"))
        if target["installed"] or is_example and not is_test:
            print(*(os.path.relpath(name, build) for name in target["filename"]))
