# SPDX-License-Identifier: BSD-3-Clause
"""A component in Python in assemblies of C, and what is said of one that is wrong."""
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import portolan

ENV = os.environ
SOURCE = os.path.join(ENV["SOURCE"], "examples")
with open(os.path.join(SOURCE, "languages", "identity.py"), encoding="utf-8") as example:
    GOOD = example.read()


class Components(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in "languages/plate.xml", "languages/identity.py", "languages/heat.PyIdentity.xml", "heat/plate.inp":
            shutil.copy(os.path.join(SOURCE, name), self.folder)

    def run_command(self, *words, ranks=0):
        start = [ENV["MPIEXEC"], "-n", str(ranks)] if ranks else []
        made = subprocess.run([*start, ENV["PORTOLAN"], "run", *words, "plate.xml"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return made.returncode, made.stdout, made.stderr

    def python_alone(self, code=GOOD, ranks=0):
        with open(os.path.join(self.folder, "identity.py"), "w", encoding="utf-8") as f:
            f.write(code)
        return self.run_command("--fixed", "--select", "preconditioner=heat.PyIdentity", ranks=ranks)

    def select(self, query):
        with sqlite3.connect(os.path.join(self.folder, "portolan.db")) as sql:
            return sql.execute(query).fetchall()

    def test_run_and_swap(self):
        code, out, err = self.python_alone()
        self.assertEqual((code, err), (0, ""))
        self.assertIn("60 steps done", out)
        calls = self.select("SELECT sum(d.calls) FROM call_data d JOIN timer_callpath p ON p.id = d.callpath JOIN timer t "
                            "ON t.id = p.timer WHERE t.name LIKE '%apply [heat.PyIdentity]'")
        self.assertGreater(calls[0][0], 60)
        code, out, err = self.run_command()  # the store knows the one in Python alone: it is swapped in
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.select("SELECT from_implementation, to_implementation, outcome FROM swap"),
                         [("heat.Jacobi", "heat.PyIdentity", "done")])

    def test_two_ranks(self):
        code, out, err = self.python_alone(ranks=2)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.select("SELECT outcome, count(DISTINCT node_rank) FROM trial JOIN thread ON trial = trial.id"),
                         [("finished", 2)])

    def test_output_is_not_lost(self):
        code, out, _ = self.python_alone(GOOD.replace("self.order = n", "print('set up', n)"))
        self.assertEqual((code, "set up 256" in out), (0, True))

    def test_swap_to_python_and_back(self):
        with portolan.Framework(self.folder) as f:
            f.create("driver", "heat.Driver", n=16, steps=3, report=0, input=os.path.join(self.folder, "plate.inp"))
            f.create("assembler", "heat.StencilAssembler")
            f.create("solver", "heat.ConjugateGradients")
            f.create("preconditioner", "heat.Jacobi")
            for user, uses in ("driver", "assembler"), ("driver", "solver"), ("solver", "preconditioner"):
                f.connect(user, uses, uses, uses)
            self.assertEqual(f.go("driver"), 0)
            for name in "heat.PyIdentity", "heat.Jacobi", "heat.PyIdentity":
                f.replace("preconditioner", name)
                self.assertEqual(f.go("driver"), 0)

    def fails(self, code, *words):
        status, out, err = self.python_alone(code)
        self.assertEqual(status, 1)
        for word in words:
            self.assertIn(word, err)

    def test_mistakes_at_the_beginning(self):
        self.fails(GOOD.replace("def setup(self, a, n):", "def setup(self, a, n)"), "identity.py:13: error: expected ':'")
        self.fails("import no_such_module\n", "No module named 'no_such_module'")
        self.fails(GOOD.replace("def apply", "def aply"), "identity.py: class Identity has no method apply")
        self.fails(GOOD.replace("heat.PyIdentity", "heat.Other"), "put @portolan.component('heat.PyIdentity')")
        self.fails(GOOD.replace('"preconditioner", "heat', '"other", "heat'), "preconditioner")
        self.fails(GOOD.replace("services.add", "services.ad"), "heat.PyIdentity.setServices: AttributeError")
        os.remove(os.path.join(self.folder, "identity.py"))
        code, _, err = self.run_command("--select", "preconditioner=heat.PyIdentity")
        self.assertEqual(code, 1)
        self.assertIn("there is no module", err)
        self.assertIn("heat.PyIdentity.xml:3", err)

    def test_mistakes_in_calls(self):
        for bad, words in [
                ("        1 / 0", ("heat.PyIdentity.apply: ZeroDivisionError: division by zero",)),
                ("        raise heat.SolverException('not today')", ("not today",)),
                ("        return 'z'", ("heat.PyIdentity.apply: ",)),
                ("        return 1, 2", ("heat.PyIdentity.apply: ",))]:
            self.fails(GOOD[:GOOD.index("        # Arrays")] + bad + "\n", *words)
            self.assertEqual(self.select("SELECT outcome FROM trial ORDER BY id DESC LIMIT 1"), [("failed",)])

    def test_description(self):
        file = os.path.join(self.folder, "heat.PyIdentity.xml")
        with open(file, encoding="utf-8") as f:
            text = f.read()
        for old, new, words in [('language="Python"', 'language="Perl"', "must be Python"),
                                (' module="identity"', "", 'module="NAME"'),
                                ('"identity"', '"a/b"', "without .py")]:
            with open(file, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
            code, _, err = self.run_command()
            self.assertEqual(code, 1)
            self.assertIn(words, err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
