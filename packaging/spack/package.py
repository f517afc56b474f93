# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe (Spack 1.0 or newer), for a repository of one's own: spack repo create DIR NAME, and
this file as DIR/spack_repo/NAME/packages/portolan/package.py. Spack's own repository has no CLIPS: a
recipe that installs libclips.a and include/clips/clips.h belongs beside it, or an external package in
packages.yaml."""
from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Portolan(MesonPackage):
    """Component framework for parallel programs that measures each call of a port, models what it
    measured, chooses the best implementations, and exchanges them while the program runs."""

    homepage = "https://portolan.example/"
    url = "https://portolan.example/portolan-0.5.0.tar.gz"

    license("BSD-3-Clause", checked_by="portolan")

    # A release's line has the checksum of what `make dist` packs.
    version("main", branch="main", git="https://portolan.example/portolan.git")

    variant("papi", default=True, description="hardware and software counters")
    variant("otf2", default=True, description="traces of OTF2, read and written")
    variant("microhttpd", default=True, description="pages that follow a run")
    variant("postgres", default=False, description="experiment stores on PostgreSQL servers")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")

    depends_on("mpich@4:", type=("build", "link", "run"))
    depends_on("clips")
    depends_on("elfutils")
    depends_on("jansson@2.11:")
    depends_on("netlib-lapack +lapacke")  # with its pkg-config file, which other LAPACKs lack
    depends_on("libedit@3.1:")
    depends_on("libxml2@2.9:")
    depends_on("llvm@14:19 +clang", type=("build", "link", "run"))
    depends_on("sqlite@3.34:")
    depends_on("uthash", type="build")
    depends_on("cmocka", type="build")
    depends_on("papi@7:", when="+papi")
    depends_on("otf2@3:", when="+otf2")
    depends_on("libmicrohttpd@0.9.71:", when="+microhttpd")
    depends_on("postgresql +client_only", when="+postgres")

    requires("platform=linux", msg="Portolan needs Linux")

    def meson_args(self):
        features = ("papi", "otf2", "microhttpd", "postgres")
        states = {True: "enabled", False: "disabled"}
        return ["-Dmpi=mpich", "-Dpvm=disabled"] + [
            "-D{0}={1}".format(f, states[self.spec.satisfies("+" + f)]) for f in features
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(join_path(self.prefix.bin, "portolan"))("doctor", "--ranks=1")
