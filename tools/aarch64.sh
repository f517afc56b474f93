#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds Portolan for AArch64 on a Debian 12 machine with another processor, and runs unit tests, whole-command
# tests and the paper's example under QEMU. Usage: tools/aarch64.sh [BUILDDIR]
# Unpacks the arm64 packages below BUILDDIR; installs only the cross compiler, QEMU and PRoot on this machine.
# The last line gives the counts; the exit status is 1 if a test failed.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-aarch64}
mkdir -p "$build/packages"
build=$(cd "$build" && pwd)
root=$build/root
triple=aarch64-linux-gnu
qemu="qemu-aarch64-static"

packages='libc6-dev libmpich-dev libxml2-dev libelf-dev libedit-dev libjansson-dev libsqlite3-dev
    libopen-trace-format2-dev libclang1-14 liblapacke-dev libopenblas0-serial uthash-dev libcmocka-dev
    libsuitesparse-dev libsuperlu-dev libclips-dev dash coreutils grep'

if ! command -v $qemu >/dev/null || ! command -v $triple-gcc >/dev/null || ! command -v proot >/dev/null; then
    apt-get install -y -qq --no-install-recommends gcc-$triple proot qemu-user-static >/dev/null
fi

# apt with separate lists and status; it installs nothing on this machine.
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
    # Make absolute links point below $root, and add the links that the packages' scripts would have made.
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

# The PATH of commands and tests.
bin=$build/bin
mkdir -p "$bin"
for name in addr2line ar as ld nm objcopy objdump ranlib readelf strip; do
    ln -sf "$(command -v $triple-$name)" "$bin/$name"
done
printf '#!/bin/sh\nexec %s-gcc --sysroot=%s "$@"\n' $triple "$root" >"$bin/cc"
printf '#!/bin/sh\nexec %s/cc -I%s/mpich "$@" -L%s -lmpich -Wl,-rpath-link,%s\n' "$bin" "$root/usr/include/$triple" \
    "$root/usr/lib/$triple" "$root/usr/lib/$triple" >"$bin/mpicc.mpich"
chmod +x "$bin/cc" "$bin/mpicc.mpich"
ln -sf cc "$bin/gcc"
# Programs that Portolan starts by name in tests.
ln -sf "$root/bin/dash" "$bin/sh"
ln -sf "$root/bin/grep" "$root/bin/true" "$bin/"
# C++ programs of tests are compiled for this machine, without MPI, with its own assembler and linker.
printf '#!/bin/sh\nPATH=/usr/bin:/bin exec /usr/bin/g++ "$@"\n' >"$bin/g++"
printf '#!/bin/sh\nexit 1\n' >"$bin/mpicxx.mpich"
chmod +x "$bin/g++" "$bin/mpicxx.mpich"

cat >"$build/cross.ini" <<EOF
[binaries]
c = '$bin/cc'
ar = '$triple-ar'
ld = '$triple-ld'
objcopy = '$triple-objcopy'
strip = '$triple-strip'
pkgconfig = 'pkg-config'
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

# PRoot does not know newer system calls, so the kernel resolves their relative paths in the wrong folder.
# This filter makes them fail; the C library then uses the older calls.
cc -x c -o "$bin/older-calls" - <<'EOF'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define RETURN(WHAT) BPF_STMT(BPF_RET | BPF_K, WHAT)
#define FAIL(CALL) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##CALL, 0, 1), RETURN(SECCOMP_RET_ERRNO | ENOSYS)
int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        FAIL(faccessat2), FAIL(openat2), FAIL(statx), RETURN(SECCOMP_RET_ALLOW)};
    struct sock_fprog all = {sizeof filter / sizeof *filter, filter};

    return argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) || execvp(argv[1], argv + 1);
}
EOF

# QEMU runs one program; with PRoot it also runs those that shells, launchers and programs start. SIGQUIT makes PRoot
# end all of them: Meson sends SIGTERM at a test's time limit, and no process is left.
# Ranks use only shared memory: if UCX may use TCP, too, two ranks of any program sometimes deadlock.
cat >"$bin/emulated" <<EOF
#!/bin/sh
PATH=$bin:\$PATH UCX_TLS=posix,self TRY_SECONDS=600 EMULATED=yes '$bin/older-calls' env --default-signal=INT,QUIT \\
    proot -q '$qemu -L $root' "\$@" &
trap 'kill -QUIT \$!; wait' TERM INT
status=0
wait \$! || status=\$?
exit \$status
EOF
chmod +x "$bin/emulated"

# The command, all that the paper's example and whole-command tests load, unit tests. Nothing made from C++ headers.
targets() {
    ninja -t targets all | sed 's/: .*//' | grep -E "$1" | grep -Ev '\.p/|tsan'
}
rooms='analysis|base|clue|components|framework|mastermind|mpi|models|optimizer|probe|sidl|trace'
{
    targets "^($rooms)/(.*/)?(test|fuzz)_[a-z_0-9]*$"
    targets '^(call|clue|mpi|proxygen/wrap|trace)/[^ ]*(\.a|\.so[.0-9]*|portolan-clue)$'
    targets '^(cli|proxygen/wrap/test|call/runtime)/[a-z_.-]*$|^examples/fft/fft$'
    targets '^(examples/(heat|paper)|components|mastermind|optimizer|proxygen/gov_cca|sidl/test)[^ ]*\.(so|xml|inp)$'
    targets '^framework/(ccaffeine/)?test/components[^ ]*\.(so|xml)$'
} >targets.list
# PRoot slows compilers down: only targets whose scripts start arm64 programs are built under it.
xargs ninja -k 0 <targets.list >ninja.log 2>&1 || "$bin/emulated" xargs -a targets.list ninja

# Whole-command tests of processor-specific code: the context switch, relocations, thread-locals.
whole='clue_mistakes clue_run llac paper trace wrap'
# NAME, ...: why these tests cannot run here.
cannot='probe rows tsan, probe threads tsan, probe gate tsan: what the thread sanitizer checks does not end under QEMU'

echo '== tests'
rm -f meson-logs/testlog-emulated.json
python3 - "$whole" "$cannot" >tests.list <<'EOF'
import json, os, sys
chosen, cannot = sys.argv[1].split(), [line.split(":")[0] for line in sys.argv[2].splitlines()]
for test in json.load(open("meson-info/intro-tests.json")):
    built = [word for word in test["cmd"] if word.startswith(os.getcwd())]
    if test["name"] in chosen or ("portolan:unit" in test["suite"] and test["name"] not in cannot and
                                  built and all(map(os.path.exists, built))):
        print(test["name"])
EOF
xargs -d '\n' meson test --no-rebuild --wrapper "$bin/emulated" -t 6 <tests.list || true

echo "== the paper's example"
# optimize exits with 3 if it cannot tell, here because no trial has the parameters as stated.
example() {
    . tests/devenv.sh
    cd examples/paper && rm -f aarch64.db* &&
        "$bin/emulated" portolan measure --store=aarch64.db paper.xml &&
        { "$bin/emulated" portolan optimize --store=aarch64.db paper.xml || [ $? -eq 3 ]; }
}
if (example); then example=OK; else example=FAIL; fi

python3 - "$example" "$cannot" <<'EOF'
import json, sys
results = [("the paper's example", sys.argv[1])]
for line in open("meson-logs/testlog-emulated.json"):
    test = json.loads(line)
    results.append((test["name"].split(" / ")[-1], test["result"]))
cannot = [name + ":" + why for names, why in (line.split(":", 1) for line in sys.argv[2].splitlines())
          for name in names.split(", ")]
cannot += [name + ": says so itself" for name, result in results if result == "SKIP"]
failed = [name + ": " + result for name, result in results if result not in ("OK", "SKIP")]
for title, lines in (("failed", failed), ("cannot run here", cannot)):
    for line in lines:
        print(f"{title}: {line}")
passed = sum(result == "OK" for name, result in results)
print(f"{passed} passed, {len(failed)} failed, {len(cannot)} cannot run here")
sys.exit(bool(failed))
EOF
