#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds Portolan for AArch64 on a Debian 12 machine of another kind, and runs its unit tests and the paper's
# example by QEMU. Usage: tools/aarch64.sh [BUILDDIR]
# The packages of arm64 are unpacked below BUILDDIR; of this machine only the cross compiler and QEMU are asked.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-aarch64}
mkdir -p "$build/packages"
build=$(cd "$build" && pwd)
root=$build/root
triple=aarch64-linux-gnu
qemu=qemu-aarch64-static

packages='libc6-dev libmpich-dev libxml2-dev libelf-dev libedit-dev libjansson-dev libsqlite3-dev
    libopen-trace-format2-dev libclang1-14 liblapacke-dev libopenblas0-serial uthash-dev libcmocka-dev
    libsuitesparse-dev libsuperlu-dev libclips-dev'

if ! command -v $qemu >/dev/null || ! command -v $triple-gcc >/dev/null; then
    apt-get install -y -qq --no-install-recommends gcc-$triple qemu-user-static >/dev/null
fi

# An apt with lists and a status of its own, which nothing is installed in.
arm64_apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o Dir::State="$build/packages" -o Dir::State::status="$build/packages/status" \
        -o Dir::Cache="$build/packages" -o APT::Sandbox::User=root "$@"
}

if [ ! -f "$build/packages/unpacked" ]; then
    mkdir -p "$build/packages/lists/partial" "$build/packages/archives/partial" "$root/usr/lib"
    : >"$build/packages/status"
    arm64_apt update
    # shellcheck disable=SC2086 # a list of words
    arm64_apt install -y --download-only --no-install-recommends $packages >/dev/null
    [ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
    for package in "$build"/packages/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar --keep-directory-symlink -xf - -C "$root"
    done
    # Links from the root of this machine, and what the packages' scripts would have chosen.
    find "$root/usr/lib" -type l -lname '/*' | while read -r link; do
        ln -sfn "$root$(readlink "$link")" "$link"
    done
    ln -sf openblas-serial/libopenblas.so.0 "$root/usr/lib/$triple/"
    for name in blas lapack; do
        ln -sf openblas-serial/lib$name.so.3 $name/lib$name.so "$root/usr/lib/$triple/"
        ln -sf $name-netlib.pc "$root/usr/lib/$triple/pkgconfig/$name.pc"
    done
    touch "$build/packages/unpacked"
fi

cat >"$build/mpiexec" <<EOF
#!/bin/sh
# mpiexec -n N PROGRAM...: this machine's, whose ranks are run by QEMU
how="\$1 \$2"
shift 2
exec mpiexec.mpich \$how $qemu -L "$root" "\$@"
EOF
chmod +x "$build/mpiexec"
cat >"$build/cross.ini" <<EOF
[binaries]
c = ['$triple-gcc', '--sysroot=$root']
ar = '$triple-ar'
ld = '$triple-ld'
objcopy = '$triple-objcopy'
strip = '$triple-strip'
pkgconfig = 'pkg-config'
mpiexec.mpich = '$build/mpiexec'
exe_wrapper = ['$qemu', '-L', '$root']
[properties]
needs_exe_wrapper = true
sys_root = '$root'
pkg_config_libdir = ['$root/usr/lib/$triple/pkgconfig', '$root/usr/share/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
EOF
[ -f "$build/meson/build.ninja" ] ||
    meson setup --cross-file "$build/cross.ini" -Dcxx=disabled -Dpapi=disabled -Dpostgres=disabled \
        -Dpvm=disabled "$build/meson"
cd "$build/meson"

# The command, what the paper's example loads, and the unit tests of rooms that do not start programs of this
# build by a shell, which QEMU does not see.
targets() {
    ninja -t targets all | sed 's/: .*//' | grep -E "$1"
}
rooms='base|probe|framework|models|mastermind|mpi|components|optimizer|trace|analysis'
# shellcheck disable=SC2046 # lists of words
ninja cli/portolan $(targets "^(($rooms)/(.*/)?|sidl/)(test|fuzz)_[a-z_0-9]*$" | grep -v tsan) \
    $(targets '^(examples/paper|components|mastermind|optimizer/component|proxygen/gov_cca|framework/(ccaffeine/)?test/components)[^ ]*\.(so|xml)$' |
        grep -v '\.p/')

echo '== unit tests'
python3 - <<'EOF' | xargs -d '\n' meson test --no-rebuild -t 4 || echo '== some failed: docs/dependencies.md names those that QEMU cannot run'
import json, os
for test in json.load(open("meson-info/intro-tests.json")):
    built = [word for word in test["cmd"] if word.startswith(os.getcwd())]
    if "portolan:unit" in test["suite"] and built and all(map(os.path.exists, built)):
        if not any(word.endswith(".sh") for word in test["cmd"]):
            print(test["name"])
EOF

echo "== the paper's example"
. tests/devenv.sh
cd examples/paper
rm -f aarch64.db*
run="$qemu -L $root ../../cli/portolan"
$run measure --store=aarch64.db paper.xml
$run optimize --store=aarch64.db paper.xml || [ $? -eq 3 ] # it cannot tell: no run as stated yet
