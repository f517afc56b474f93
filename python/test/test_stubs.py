# SPDX-License-Identifier: BSD-3-Clause
"""What portolan sidl --stubs=Python writes: mypy accepts it, finds mistakes by it, and it has what Python has."""
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import portolan

ENV = os.environ
HERE = os.path.dirname(os.path.abspath(__file__))
HEAT = os.path.join(ENV["SOURCE"], "examples", "heat", "heat.sidl")
USE = """
import portolan
import lab

desk = lab.Desk()
was, b, c = desk.passString("a", None)
reveal_type(was)
reveal_type(desk.passNest(lab.Nest(c="x"), lab.Nest()))
reveal_type(desk.passColor(7, lab.Color.red)[0])
reveal_type(desk.fibonacci(3))
reveal_type(lab.Desk.made())
reveal_type(lab.Named(desk).name())
reveal_type(desk.countNamed(desk))
try:
    desk.scale([[1.0]], 2.0)
except lab.WorseFailure as e:
    reveal_type(e.note)
desk.add("1", 2)
desk.nosuch()
desk.countNamed(3)
"""


class Stubs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def stubs(self, *files):
        return subprocess.run([ENV["PORTOLAN"], "sidl", "--stubs=Python", "-o", self.folder, *files], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def check(self, *words):
        mypy = shutil.which("mypy", path="/usr/bin:" + ENV["PATH"])
        if not mypy:
            self.skipTest("mypy is not installed")
        path = os.pathsep.join([self.folder, os.path.join(ENV["SOURCE"], "python")])
        made = subprocess.run([mypy, "--strict", "--cache-dir", os.path.join(ENV["BUILD"], "mypy"), *words], text=True,
                              cwd=self.folder, env={**ENV, "MYPYPATH": path, "PYTHONPATH": ""},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return made.stdout

    def test_files(self):
        self.assertEqual((self.stubs(HEAT).stdout, sorted(os.listdir(self.folder))), ("", ["gov_cca.pyi", "gov_cca_ports.pyi", "heat.pyi"]))
        made = subprocess.run([ENV["PORTOLAN"], "sidl", "--stubs=Perl", HEAT], stderr=subprocess.PIPE, text=True)
        self.assertEqual((made.returncode, "only Python has stubs" in made.stderr), (2, True))

    def test_same_as_python_has(self):
        """Names and numbers of arguments are those of the classes that portolan.sidl() makes."""
        self.stubs(os.path.join(HERE, "lab", "lab.sidl"))
        cca = sys.modules["gov_cca"] = types.ModuleType("gov_cca")
        cca.Port = type("Port", (portolan.Object,), {})
        with open(os.path.join(self.folder, "lab.pyi"), encoding="utf-8") as f:
            scope = {}
            exec(compile("from __future__ import annotations\n" + f.read(), "lab.pyi", "exec"), scope)
        lab = portolan.sidl("lab", library=ENV["LAB"])
        for name, cls in vars(lab).items():
            if not name.startswith("_"):
                wanted = {m for m in vars(cls) if not m.startswith("_")}
                self.assertLessEqual({m for m in vars(scope[name]) if not m.startswith("_")},
                                     wanted | {"trace", "sidl", "note"}, name)
                self.assertLessEqual(wanted, set(dir(scope[name])) | set(inspect.get_annotations(scope[name])), name)
                self.assertEqual([b.__name__ for b in cls.__bases__], [b.__name__ for b in scope[name].__bases__])

    def test_mypy(self):
        self.stubs(HEAT, os.path.join(HERE, "lab", "lab.sidl"), os.path.join(ENV["SOURCE"], "sidl", "spec", "cca.sidl"),
                   os.path.join(ENV["SOURCE"], "sidl", "spec", "portolan.sidl"),
                   os.path.join(ENV["SOURCE"], "examples", "languages", "rod.sidl"))
        with open(os.path.join(self.folder, "use.py"), "w", encoding="utf-8") as f:
            f.write(USE)
        good = self.check("lab.pyi", "heat.pyi", "gov_cca.pyi", "gov_cca_ports.pyi",
                          *(os.path.join(ENV["SOURCE"], "examples", "languages", name)
                            for name in ("identity.py", "driver.py", "rod_InPython_Impl.py", "rod_DriverInPython_Impl.py")))
        self.assertIn("Success: no issues found", good)
        said = self.check("use.py").splitlines()
        found = [line.split('"')[1] for line in said if "Revealed type" in line]
        self.assertEqual(found, ["builtins.str", "Tuple[lab.Nest, lab.Nest, lab.Nest]", "lab.Color",
                                 found[3], "builtins.int", "builtins.str", "builtins.int", "builtins.str"])
        self.assertIn("numpy.ndarray", found[3])
        errors = "\n".join(line for line in said if ": error: " in line)
        self.assertIn('use.py:18: error: Argument 1 to "add" of "Adder" has incompatible type "str"', errors)
        self.assertIn('use.py:19: error: "Desk" has no attribute "nosuch"', errors)
        self.assertIn("use.py:20: error: Argument 1", errors)
        self.assertEqual(len(errors.splitlines()), 3, errors)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv)
