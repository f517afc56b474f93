#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install_deps.sh use|check: installs the Debian packages that building and using Portolan needs, and with `check` also those that
# only its tests need. Exits with 2 if it cannot. docs/dependencies.md says what each is for.
set -eu

use='gcc g++ gfortran binutils libc6-dev make meson ninja-build pkg-config mpich libmpich-dev libpapi-dev
    libxml2-dev libelf-dev libedit-dev libjansson-dev libsqlite3-dev libopen-trace-format2-dev libclang-14-dev liblapacke-dev
    libopenblas0-serial uthash-dev libcmocka-dev libsuitesparse-dev libsuperlu-dev graphviz python3 python3-dev
    libpq-dev libfftw3-dev libgsl-dev libclips-dev pvm-dev node-d3 libmicrohttpd-dev'
check='libxml2-utils sqlite3 otf2-tools valgrind python3-jsonschema glpk-utils mandoc clang-14 libclang-rt-14-dev
    clang-format-14 toulbar2 libblas3 libblis4-serial libatlas3-base liblapack3 libsundials-dev python3-numpy python3-pandas
    mypy zlib1g-dev liblz4-dev libzstd-dev libopenblas-serial-dev postgresql cmake chromium chromium-driver python3-selenium
    abigail-tools'

refuse() {
    echo "install_deps: error: $1" >&2
    exit 2
}

case ${1:-} in
use) wanted=$use ;;
check) wanted="$use $check" ;;
*) refuse 'usage: install_deps.sh use|check' ;;
esac
missing=''
for p in $wanted; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
command -v apt-get >/dev/null || refuse "this needs apt-get; elsewhere install the counterparts of:$missing"
as_root=''
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || refuse "packages are installed as root, or with sudo on the machine; missing are:$missing"
    as_root='sudo'
fi
echo "installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
