#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `portolan diagnose` says of programs that its authors did not write: public programs with a cause planted by their
own options, or by a rank that does its main work twice; in virtual time, so that load does not matter. It is not told the
paradigm. For each row: what was planted, what is named first, the gain that it predicts and the gain of the program when
the knob is turned back, what else is named with more than 3 %, and whether "no problem" is said though a cause is planted.

    diagnose_foreign.py --sources DIR [NAME ...]     DIR has the repositories, as --list names them; it fetches nothing

The programs are built by their own files in copies, in a folder that is deleted, or in --work and kept."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PORTOLAN = os.path.join(BUILD, "cli", "portolan")
MACHINE = os.path.join(here, "..", "examples", "clue", "machines", "infiniband.xml")
LEAST_OTHER = 0.03


class Program:
    """FOLDER of repository REPO is built by COMMANDS into BINARY; PATCHES are texts of files and what replaces them, INPUT
    is written into a file of that name where it runs. ROWS: arguments (or lines of INPUT), environment, the cause, and the
    arguments and environment with the knob turned back; without a cause the row is healthy. A cause may have several
    names, with | between them."""

    def __init__(self, repo, folder, commands, binary, rows, ranks=8, patches=(), input=None, compute="median",
                 options=""):
        self.repo, self.folder, self.commands, self.binary, self.rows = repo, folder, commands, binary, rows
        self.ranks, self.patches, self.input, self.compute, self.options = ranks, patches, input, compute, options


TWICE = {"TWICE": "1"}  # rank 1 does it twice
IMBALANCE = "imbalance|some ranks have more work than others"


def twice(arguments):
    """A healthy row, and one in which rank 1 has twice the work."""
    return [(arguments, {}, None, None, None), (arguments, TWICE, IMBALANCE, arguments, {})]


def doubled(work, rank, more=1):
    return "%s if (%s == 1 && getenv(\"TWICE\")) for (int more = %d; more > 0; more--) %s" % (work, rank, more, work)


def sweep(mk, mmi, cells=48):
    """The input of Sweep3D: 2 x 4 ranks, MK planes and MMI angles of 6 a block."""
    return "2 4 %d %d 1\n%d %d %d 6 1\n.1 .1 .1 -4.0\n0 0 0\n0 1 -7\n" % (mk, mmi, cells, cells, cells)


def snap(ichunk):
    """The input of SNAP: 2 x 4 ranks, ICHUNK planes a block."""
    return ("! ichunk=%d\n&invar\n npey=2\n npez=4\n ichunk=%d\n nthreads=1\n nnested=1\n ndimen=3\n nx=16\n lx=1.6\n ny=16\n ly=1.6\n nz=16\n"
            " lz=1.6\n nmom=2\n nang=10\n ng=4\n epsi=1.0E-4\n iitm=5\n oitm=3\n timedep=0\n mat_opt=0\n src_opt=0\n scatp=0\n it_det=0\n"
            " fluxp=0\n fixup=0\n soloutp=0\n kplane=0\n popout=0\n swp_typ=0\n angcpy=1\n multiswp=0\n/\n" % (ichunk, ichunk))


def amr(options):
    """Arguments of miniAMR: a sphere at a corner, around which blocks are refined."""
    return ("--num_refine 3 --max_blocks 2000 --npx 2 --npy 2 --npz 2 --nx 8 --ny 8 --nz 8 --num_objects 1 --object 2 0 -0.3 -0.3 -0.3 "
            "0.03 0.03 0.03 0.5 0.5 0.5 0.0 0.0 0.0 --num_tsteps 10 --checksum_freq 5 --stages_per_ts 5 --num_vars 4 --report_perf 0 "
            + options)


def kernel(name, binary, rows, patches=()):
    make_defs = "printf 'MPICC=mpicc.mpich\\nCC=gcc\\nDEFAULT_OPT_FLAGS=-O2\\n' >../../common/make.defs"
    return Program("ParRes/Kernels", "MPI1/" + name, [make_defs, "make " + binary], binary, rows, patches=patches)


PROGRAMS = {
    # Conjugate gradients: a halo, and two global sums an iteration.
    "HPCCG": Program(
        "Mantevo/HPCCG", ".",
        ["make CXX=mpicxx.mpich LINKER=mpicxx.mpich CPP_OPT_FLAGS=-O2 USE_MPI=-DUSING_MPI"], "test_HPCCG", twice("32 32 32"),
        patches=[("HPCCG.cpp", "HPC_sparsemv(A, p, Ap); TOCK(t3); //",
                  doubled("HPC_sparsemv(A, p, Ap);", "A->start_row / A->local_nrow") + " TOCK(t3); //"),
                 ("HPCCG.cpp", "#include <cmath>", "#include <cmath>\n#include <cstdlib>")]),
    # Molecular dynamics with halos by MPI_Sendrecv.
    "CoMD": Program(
        "ECP-copa/CoMD", "src-mpi", ["cp Makefile.vanilla Makefile", "make CC=mpicc.mpich DO_MPI=ON"], "../bin/CoMD-mpi",
        twice("-i 2 -j 2 -k 2 -x 24 -y 24 -z 24 -N 20 -n 10"),
        compute="measured",  # its halo and its forces lie between the same calls
        patches=[("timestep.c", "      computeForce(s);", "      " + doubled("computeForce(s);", "getMyRank()", 9)),
                 ("timestep.c", "#include \"CoMDTypes.h\"", "#include \"CoMDTypes.h\"\n#include <stdlib.h>")]),
    "miniMD": Program(
        "Mantevo/miniMD", "ref", ["make openmpi CC=mpicxx.mpich LINK=mpicxx.mpich"], "miniMD_openmpi",
        twice("-i $SOURCE/in.lj.miniMD -n 60 -s 16"),
        compute="measured",
        patches=[("integrate.cpp", "force->compute(atom, neighbor, comm, comm.me);",
                  doubled("force->compute(atom, neighbor, comm, comm.me);", "comm.me")),
                 ("integrate.cpp", "#include \"stdio.h\"", "#include \"stdio.h\"\n#include <stdlib.h>")]),
    "stencil": kernel(
        "Stencil", "stencil", twice("60 1000"),
        patches=[("stencil.c", "    /* add constant to solution",
                  "    if (my_ID == 1 && getenv(\"TWICE\"))\n"
                  "      for (int j=jstart+RADIUS; j<=jend-RADIUS; j++) for (int i=istart+RADIUS; i<=iend-RADIUS; i++)\n"
                  "        for (int k=-RADIUS; k<=RADIUS; k++) more += WEIGHT(0,k)*IN(i,j+k) + WEIGHT(k,0)*IN(i+k,j);\n"
                  "    /* add constant to solution"),
                 ("stencil.c", "int main(", "volatile double more;\nint main(")]),
    # A pipeline whose lines are sent one by one, or in groups.
    "p2p": kernel("Synch_p2p", "p2p", [
        ("20 2000 2000 40", {}, None, None, None),
        ("20 2000 2000 150", {}, "blocks-too-large", "20 2000 2000 40", {}),
        ("20 4000 500 1", {}, "blocks-too-small", "20 4000 500 20", {}),
        ("20 2000 2000 40", TWICE, "slow-stage", "20 2000 2000 40", {})],
        patches=[("p2p.c", "      for (jj=0; jj<jjsize; jj++) for (i=start; i<= end; i++) {",
                  "      for (int t = my_ID == 1 && getenv(\"TWICE\") ? 2 : 1; t > 0; t--)\n"
                  "      for (jj=0; jj<jjsize; jj++) for (i=start; i<= end; i++) {")]),
    # Grids that are refined for some of the time: by all ranks, or by those that have that part of the domain.
    "AMR": kernel("AMR", "amr", [
        ("40 1000 300 1 10 5 4 FINE_GRAIN", {}, None, None, None),
        ("40 1000 300 1 10 5 4 HIGH_WATER", {}, IMBALANCE, "40 1000 300 1 10 5 4 FINE_GRAIN", {}),
        ("40 1000 300 1 10 5 4 NO_TALK", {}, IMBALANCE, "40 1000 300 1 10 5 4 FINE_GRAIN", {})]),
    # Particles that are spread as the arguments say, and move in waves.
    "PIC": kernel("PIC-static", "pic", [
        ("40 400 100000 1 1 GEOMETRIC 0.99", {}, IMBALANCE, "40 400 100000 1 1 LINEAR 0 1", {}),
        ("40 400 100000 1 1 SINUSOIDAL", {}, IMBALANCE, "40 400 100000 1 1 LINEAR 0 1", {}),
        ("40 400 100000 1 1 PATCH 0 200 0 200", {}, IMBALANCE, "40 400 100000 1 1 LINEAR 0 1", {})]),
    "transpose": kernel("Transpose", "transpose", [("20 1600", {}, None, None, None)]),
    # Neutron transport: sweeps over a grid of ranks from its corners.
    "Sweep3D": Program(
        "goyalankit/sweep3d", ".",
        ["tar xf sweep3d.tar", "rm -f *.o", "make CPP=cpp FC=mpif90.mpich CC=gcc FFLAGS='-O2 -std=legacy' "
         "MPI_FFLAGS='-O2 -std=legacy' OPTIMIZE=-O2 MPI_LDFLAGS= SHELL=/bin/sh mpi"], "sweep3d.mpi", [
             # Of large blocks, most is lost where the direction changes.
             (sweep(24, 3), {}, "direction-changes", sweep(6, 3), {}),
             (sweep(1, 1, 24), {}, "blocks-too-small", sweep(6, 3, 24), {})], input="input"),
    "SNAP": Program(
        "lanl/SNAP", "src", ["make FORTRAN=mpif90.mpich OPENMP=no"], "gsnap", [
            (snap(16), {}, "direction-changes|blocks-too-large", snap(4), {})], input="in", options="in /dev/null",
        compute="measured"),  # its calls are made by one routine
    # Hydrodynamics with 26 neighbours, in three exchanges of faces, edges and corners.
    "LULESH": Program(
        "LLNL/LULESH", ".", ["make CXX='mpicxx.mpich -DUSE_MPI=1' CXXFLAGS='-O2 -I.' LDFLAGS=-O2"], "lulesh2.0",
        twice("-s 12 -i 30 -r 1") + [("-s 12 -i 30 -c 8", {}, IMBALANCE, "-s 12 -i 30 -c 0", {})],
        patches=[("lulesh.cc", "numElemReg, regElemList, rep);\n    }",
                  "numElemReg, regElemList, rep * (getenv(\"TWICE\") && domain.colLoc() == 1 &&"
                  " domain.rowLoc() == 0 && domain.planeLoc() == 0 ? 8 : 1));\n    }")]),
    # Conjugate gradients on elements; some ranks have more rows, by its own option.
    "miniFE": Program(
        "Mantevo/miniFE", "ref/src", ["make CXX=mpicxx.mpich CC=mpicc.mpich CFLAGS=-O2"], "miniFE.x", [
            ("nx=39 ny=39 nz=39", {}, None, None, None),
            ("nx=39 ny=39 nz=39 load_imbalance=40", {}, IMBALANCE, "nx=39 ny=39 nz=39", {}),
            ("nx=39 ny=39 nz=39 load_imbalance=80", {}, IMBALANCE, "nx=39 ny=39 nz=39", {})]),
    # Blocks that are refined where a sphere moves, without and with balancing.
    "miniAMR": Program(
        "Mantevo/miniAMR", "ref", ["make CC=mpicc.mpich LD=mpicc.mpich"], "miniAMR.x", [
            (amr("--lb_opt 0"), {}, IMBALANCE, amr("--lb_opt 1"), {})]),
    # Two-dimensional hydrodynamics: a halo after each kernel.
    "clover": Program(
        "UK-MAC/CloverLeaf_MPI", ".", ["make COMPILER=GNU MPI_COMPILER=mpif90.mpich C_MPI_COMPILER=mpicc.mpich"], "clover_leaf",
        twice("*clover\n state 1 density=0.2 energy=1.0\n state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 "
              "ymin=0.0 ymax=2.0\n x_cells=240\n y_cells=240\n xmin=0.0\n ymin=0.0\n xmax=10.0\n ymax=10.0\n initial_timestep=0.04\n"
              " timestep_rise=1.5\n max_timestep=0.04\n end_step=40\n test_problem 2\n*endclover\n"), input="clover.in",
        patches=[("hydro.f90", "        CALL flux_calc()", "        CALL flux_calc()\n        BLOCK\n          INTEGER :: e\n"
                  "          CALL GET_ENVIRONMENT_VARIABLE('TWICE', STATUS=e)\n          IF (e == 0 .AND. parallel%task == 1) THEN\n"
                  "            DO e = 1, 30\n              CALL flux_calc()\n            ENDDO\n          ENDIF\n        ENDBLOCK")]),
    # Hydrodynamics on an unstructured mesh: sums over points that ranks share, and global sums.
    "PENNANT": Program(
        "lanl/PENNANT", ".", ["make CXX=mpicxx.mpich CXXFLAGS='-O2 -DUSE_MPI' LDFLAGS="], "build/pennant",
        twice("cstop 40\nmeshtype rect\nmeshparams 120\nuinitradial -1.0\nbcx 0.0\nbcy 0.0\nssmin 0.1\nalfa 0.1\nq1 0.1\nq2 1.0\n"
              "dtinit 5.e-6\ndtreport 100\nchunksize 512\n"), input="in.pnt", options="in.pnt",
        patches=[("src/Hydro.cc", "        qcs->calcForce(sfq, sfirst, slast);",
                  "        " + doubled("qcs->calcForce(sfq, sfirst, slast);", "Parallel::mype", 3)),
                 ("src/Hydro.cc", "#include \"Parallel.hh\"", "#include \"Parallel.hh\"\n#include <cstdlib>")]),
    # Search in an unbalanced tree by work stealing: no paradigm, but it must not be taken for one.
    "UTS": Program(
        "perarnau/uts", ".",
        ["make MPICC=mpicc.mpich MPICC_OPTS='-O2 -std=gnu99 -fcommon' GSL_FLAGS=-lm RNG_DEF=-DBRG_RNG "
         "FLAGS='-Wl,--no-as-needed -lm' uts-mpi-ws-nt"], "uts-mpi-ws-nt", [
             ("-t 1 -a 3 -d 8 -b 4 -r 19 -c 2000 -i 32", {}, "some ranks have more work than others",
              "-t 1 -a 3 -d 8 -b 4 -r 19 -c 10 -i 32", {}),
             ("-t 1 -a 3 -d 8 -b 4 -r 19 -c 1 -i 1", {}, "calls and messages take time",
              "-t 1 -a 3 -d 8 -b 4 -r 19 -c 10 -i 32", {})]),
}


def shell(command, folder, env=None, **more):
    return subprocess.run(command, shell=True, cwd=folder, env=dict(os.environ, **(env or {})), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **more)


def build(name, p, sources, work):
    """The folder in which the program was built."""
    source = os.path.join(work, name)
    if os.path.exists(os.path.join(source, p.folder, p.binary)):
        return os.path.join(source, p.folder)
    shutil.copytree(os.path.join(sources, p.repo.split("/")[1]), source, symlinks=True, dirs_exist_ok=True)
    folder = os.path.join(source, p.folder)
    for file, old, new in p.patches:
        with open(os.path.join(folder, file)) as f:
            text = f.read()
        if old not in text:
            sys.exit("%s: %s has no '%s'" % (name, file, old))
        with open(os.path.join(folder, file), "w") as f:
            f.write(text.replace(old, new))
    for command in p.commands:
        done = shell(command, folder)
        if done.returncode:
            sys.exit("%s: %s\n%s" % (name, command, done.stdout[-2000:]))
    return folder


def record(p, folder, arguments, env, trace):
    """False: it could not be recorded."""
    shutil.rmtree(trace, ignore_errors=True)
    if p.input:
        with open(os.path.join(folder, p.input), "w") as file:
            file.write(arguments)
        arguments = p.options
    done = shell("%s clue run --no-trial --quiet --compute=%s -m %s -n %d --trace %s -- ./%s %s" % (
        PORTOLAN, p.compute, MACHINE, p.ranks, trace, p.binary, arguments.replace("$SOURCE", folder)), folder, env)
    if done.returncode:
        print(done.stdout[-500:], file=sys.stderr)
    return done.returncode == 0


def diagnose(trace):
    """The paradigm that it looks like, and the diagnosis in its terms; without one, what any program loses."""
    plain = shell("%s diagnose %s" % (PORTOLAN, trace), ".")
    looks = re.search("^it looks like ([a-z-]+):", plain.stdout, re.M)
    seconds = float(re.search(r"ranks, ([0-9.e+-]+) s$", plain.stdout, re.M).group(1))
    d = {"verdict": "cannot tell" if plain.returncode else "no problem found", "run_ns": 1e9 * seconds,
         "findings": [{"cause": t, "gain": float(g) / 100, "where": ""}
                      for t, g in re.findall("^ +[0-9]+ (.*?)  +([0-9.]+) %$", plain.stdout, re.M)]}
    if looks:
        text = shell("%s diagnose --json -p %s %s" % (PORTOLAN, looks.group(1), trace), ".").stdout
        told = json.loads(text[text.index("{"):])
        for f in told["findings"]:
            f["gain"] = f["gain"] or 0
        told["findings"] = told["findings"] or d["findings"]
        d = told
    return looks.group(1) if looks else "-", d


def report(name, p, folder, row, trace):
    """Prints a row; returns planted, named first, invented, "no problem" although planted."""
    arguments, env, cause, back, back_env = row
    if not record(p, folder, arguments, env, trace):
        return 1, 0, 0, 0
    paradigm, d = diagnose(trace)
    first = d["findings"][0] if d["findings"] else {"cause": d["verdict"], "gain": 0, "where": ""}
    truth = 0
    if cause and record(p, folder, back, back_env, trace):
        truth = 1 - diagnose(trace)[1]["run_ns"] / d["run_ns"]
    names = cause.split("|") if cause else []
    others = [f for f in d["findings"] if f is not first and f["cause"] not in names and f["gain"] >= LEAST_OTHER]
    shown = " ".join(arguments.split("\n")[0].split()[-6:]) + (" twice" if env else "")
    print("%-8s %-32s %-15s %-17s %-17s %5.1f %5.1f  %s" % (
        name, shown, paradigm, names[0] if cause else "(healthy)", first["cause"][:40], 100 * first["gain"], 100 * truth,
        ", ".join("%s %.1f" % (f["cause"], 100 * f["gain"]) for f in others)), flush=True)
    if not cause:
        return 0, 0, first["gain"] >= LEAST_OTHER, 0
    return 1, any(n in first["cause"] for n in names), 0, d["verdict"] == "no problem found"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", help="the folder in which the repositories lie")
    parser.add_argument("--work", help="build here, and keep it")
    parser.add_argument("--list", action="store_true", help="print the repositories")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    o = parser.parse_args()
    if o.list or not o.sources:
        for name, p in PROGRAMS.items():
            print("%-8s git clone --depth 1 https://github.com/%s %s" % (name, p.repo, p.repo.split("/")[1]))
        return
    with tempfile.TemporaryDirectory() as temporary:
        work, sums = os.path.abspath(o.work or temporary), [0, 0, 0, 0]
        print("%-8s %-32s %-15s %-17s %-17s %5s %5s  others" % ("program", "arguments", "looks like", "planted", "named first",
                                                             "gain", "truly"))
        for name in o.names or PROGRAMS:
            folder = build(name, PROGRAMS[name], os.path.abspath(o.sources), work)
            for row in PROGRAMS[name].rows:
                sums = [a + b for a, b in zip(sums, report(name, PROGRAMS[name], folder, row, temporary + "/trace"))]
        print("%d planted, %d named first, %d invented, %d times \"no problem\"" % tuple(sums))


main()
