# SPDX-License-Identifier: BSD-3-Clause
"""The classes of sidl/test in all languages, called from Python, and those in Python, called from all languages."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import portolan

ENV = os.environ
BUILD, SOURCE = ENV["BUILD"], ENV["SOURCE"]
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "languages")
CLASSES = os.path.join(SOURCE, "sidl", "test", "languages")
SIDL = os.path.join(CLASSES, "ft.sidl")
# Folder: what --server= calls it, its compiler, the client's files.
LANGUAGES = {"c": ("C", "gcc", ["client.c"]), "cxx": ("C++", "g++", ["client.cc"]),
             "f": ("F03", "gfortran", ["client_arrays.F90", "client.F90"]), "python": ("C", "gcc", [])}
ROUNDS = {"c": 3400, "cxx": 2500, "f": 14000}  # of 100,000 calls each
MODULES = os.path.join(BUILD, "sidl", "fortran")
INCLUDE = ["-I" + os.path.join(top, *part) for top in (SOURCE, BUILD)
           for part in (["sidl", "runtime"], ["base"], ["framework"], [])]
C = ["gcc", "-std=gnu17", "-fPIC", "-g", "-O1", "-w", *INCLUDE, "-c"]
CXX = ["g++", "-std=c++17", "-fPIC", "-g", "-O1", "-w", *INCLUDE, "-c"]
FORTRAN = ["gfortran", "-std=f2018", "-fPIC", "-g", "-O1", "-w", "-fcheck=all,no-array-temps",
           "-I" + os.path.join(MODULES, "libportolan_fortran.a.p"), "-c"]
PORTOLAN = ["-L" + os.path.join(BUILD, "framework"), "-lportolan", "-Wl,-rpath," + os.path.join(BUILD, "framework")]
LIBRARIES = [os.path.join(MODULES, "libportolan_fortran.a"), *PORTOLAN]


def has(language):
    return (os.path.isdir(os.path.join(CLASSES, language)) and shutil.which(LANGUAGES[language][1])
            and (language != "f" or os.path.exists(LIBRARIES[0])))


def run(*command, folder, **more):
    made = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, env={**ENV, **more})
    return made.returncode, made.stdout
CONTRACT = """package con version 1.0 {
  interface Sqrt {
    double root(in double x) throws sidl.PreViolation, sidl.PostViolation;
    require not_negative : x >= 0.0;
    ensure good : result >= 0.0;
  }
  class Root implements-all Sqrt {}
}
"""


@unittest.skipIf("PORTOLAN_SANITIZED" in ENV, "the interpreter does not load this libportolan.so")
class Languages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def good(self, *command, **more):
        status, out = run(*command, folder=self.folder, **more)
        self.assertEqual((status, out), (0, ""))

    def generate(self, option, language):
        if option == "server":
            shutil.copytree(os.path.join(CLASSES, language), self.folder, dirs_exist_ok=True)
        status, out = run(ENV["PORTOLAN"], "sidl", f"--{option}={LANGUAGES[language][0]}", SIDL, folder=self.folder)
        self.assertEqual(status, 0, out)

    def compile(self, language):
        """All sources in the folder, as libft.so."""
        files = sorted(os.listdir(self.folder))
        fortran = [f for f in files if f.endswith("_mod.f90")] + [f for f in files if f.endswith("weights.f90")]
        fortran += [f for f in files if f.endswith("_Impl.F90")]
        for file in fortran if language == "f" else []:
            self.good(*FORTRAN, file)
        for file in (f for f in files if f.endswith(".cxx")):
            self.good(*CXX, file)
        self.good(*C, *(f for f in files if f.endswith(".c")))
        self.link(LANGUAGES[language][1], "libft.so", *(f for f in os.listdir(self.folder) if f.endswith(".o")))

    def link(self, compiler, library, *words):
        libraries = LIBRARIES if compiler == "gfortran" else PORTOLAN
        self.good(compiler, "-shared", "-o", library, *words, *libraries)

    def client(self, language, calls):
        self.generate("client" if language == "python" else "server", language)
        self.compile(language)
        status, out = run(sys.executable, os.path.join(HERE, "client.py"), os.path.join(self.folder, "libft.so"), language,
                          str(calls), folder=self.folder, PYTHONMALLOC="debug")
        self.good_client(status, out)

    def good_client(self, status, out):
        self.assertEqual(status, 0, "\n".join(list(dict.fromkeys(out.splitlines()))[:40]))

    def server(self, language):
        """The client is a library, whose main Python calls after it made the classes."""
        self.generate("client", language)
        if language != "c":
            self.generate("client", "c")
        self.compile(language)
        compiler = {"c": C, "cxx": CXX, "f": FORTRAN}[language]
        objects = []
        for file in LANGUAGES[language][2]:
            objects.append(file + ".o")
            self.good(*compiler, "-I.", os.path.join(CLASSES, file), "-o", objects[-1])
        self.link(LANGUAGES[language][1], "client.so", *objects, "-L.", "-lft", "-Wl,-rpath," + self.folder)
        status, out = run(sys.executable, os.path.join(HERE, "host.py"), self.folder, str(ROUNDS[language]),
                          folder=self.folder, PYTHONMALLOC="debug", PYTHONDONTWRITEBYTECODE="1")
        self.good_client(status, out)

    def test_contract_of_a_class_in_python(self):
        with open(os.path.join(self.folder, "con.sidl"), "w", encoding="utf-8") as f:
            f.write(CONTRACT)
        self.good(ENV["PORTOLAN"], "sidl", "--client=C", "con.sidl")
        self.compile("c")
        con = portolan.sidl("con", library=os.path.join(self.folder, "libft.so"))
        sidl = portolan.sidl("sidl")

        @portolan.implement("con.Root")
        class Root:
            def root(self, x):
                return -1.0 if x == 4 else x**0.5

        root = con.Root()
        self.assertEqual((root.root(9.0), root.root(4.0)), (3.0, -1.0))
        sidl.EnfPolicy.setEnforceAll(sidl.ContractClass.ALLCLASSES, True)
        self.addCleanup(sidl.EnfPolicy.setEnforceNone, True)
        self.assertEqual(root.root(9.0), 3.0)
        with self.assertRaisesRegex(sidl.PreViolation, r"con.Sqrt.root: precondition not_negative violated: .*\(con.sidl:4\)"):
            root.root(-1.0)
        with self.assertRaisesRegex(sidl.PostViolation, "postcondition good violated"):
            root.root(4.0)


def add(language):
    if language == "python" or has(language):
        setattr(Languages, "test_python_to_" + language, lambda self: self.client(language, 100000))
    if language != "python" and has(language):
        setattr(Languages, f"test_{language}_to_python", lambda self: self.server(language))


for each in LANGUAGES:
    add(each)

if __name__ == "__main__":
    unittest.main(verbosity=2)
