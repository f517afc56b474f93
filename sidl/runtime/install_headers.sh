#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the generated headers, whose number only the compiler knows.
set -e
mkdir -p "$MESON_INSTALL_DESTDIR_PREFIX/$1"
for header in "$MESON_BUILD_ROOT"/sidl/runtime/*.h "$MESON_BUILD_ROOT"/sidl/runtime/*.hxx; do
    install -m 644 "$header" "$MESON_INSTALL_DESTDIR_PREFIX/$1/"
done
