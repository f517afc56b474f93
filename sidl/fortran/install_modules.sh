#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: install_modules.sh FROM TO; TO is below the prefix.
set -eu
to=$MESON_INSTALL_DESTDIR_PREFIX/$2
mkdir -p "$to"
cp "$1"/*.mod "$to"
