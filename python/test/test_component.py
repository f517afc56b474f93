# SPDX-License-Identifier: BSD-3-Clause
"""A component in Python in assemblies of C, and what is said of one that is wrong."""
import gc
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import portolan

ENV = os.environ
SOURCE = os.path.join(ENV["SOURCE"], "examples")
with open(os.path.join(SOURCE, "languages", "identity.py"), encoding="utf-8") as example:
    GOOD = example.read()
COMMUNICATOR = """
        services.registerUsesPort("mpi", "gov.cca.ports.MPIService", None)
        service = portolan.sidl("gov.cca.ports").MPIService(services.getPort("mpi"))
        size, rank = service.getSizeRank()
        number = service.getComm()
        print(f"of {size} ranks number {rank} has {type(number).__name__} {number != 0}\\n", end="")
        service.releaseComm(number)
        services.releasePort("mpi")
"""
ADDER = """
import portolan

@portolan.component("test.Adder")
class Adder:
    def setServices(self, services):
        services.addProvidesPort(self, "adder", "lab.Adder", None)
    def add(self, a, b):
        return a + b
    def first(self, x):
        return x[0]
"""


def apply(code):
    """The component with another body of apply."""
    return GOOD[:GOOD.index("        # Arrays")] + "        " + code + "\n"


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


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

    def plate(self, preconditioner):
        f = portolan.Framework(self.folder)
        f.create("driver", "heat.Driver", n=16, steps=3, report=0, input=os.path.join(self.folder, "plate.inp"))
        f.create("assembler", "heat.StencilAssembler")
        f.create("solver", "heat.ConjugateGradients")
        f.create("preconditioner", preconditioner)
        for user, uses in ("driver", "assembler"), ("driver", "solver"), ("solver", "preconditioner"):
            f.connect(user, uses, uses, uses)
        return f

    def test_driver(self):
        """Measured like one of C; what its go raises ends the run."""
        for name in "spot.xml", "driver.py", "heat.PyDriver.xml":
            shutil.copy(os.path.join(SOURCE, "languages", name), self.folder)
        os.rename(os.path.join(self.folder, "spot.xml"), os.path.join(self.folder, "plate.xml"))
        warmest = set()
        for words in [], ["--select", "preconditioner=heat.PyIdentity"]:
            code, out, err = self.run_command("--fixed", *words)
            self.assertEqual((code, err), (0, ""), err)
            warmest.add(out.splitlines()[0])
        self.assertRegex(warmest.pop(), r"^20 steps done, the warmest place has \d\.\d\d\d$")
        self.assertEqual(warmest, set())
        self.assertEqual(self.select("SELECT sum(d.calls) FROM call_data d JOIN timer_callpath p ON p.id = d.callpath JOIN timer t "
                                     "ON t.id = p.timer WHERE t.name LIKE '%solve [heat.ConjugateGradients]'"), [(40,)])
        file = os.path.join(self.folder, "driver.py")
        with open(file, encoding="utf-8") as f:
            text = f.read()
        with open(file, "w", encoding="utf-8") as f:
            f.write(text.replace("swap.reached(step)", "swap.reached(1 / 0)"))
        code, out, err = self.run_command("--fixed")
        self.assertEqual((code, "ZeroDivisionError: division by zero" in err, 'driver.py", line 4' in err), (1, True, True), err)

    def test_swap_to_python_and_back(self):
        with self.plate("heat.Jacobi") as f:
            self.assertEqual(f.go("driver"), 0)
            for name in "heat.PyIdentity", "heat.Jacobi", "heat.PyIdentity":
                f.replace("preconditioner", name)
                self.assertEqual(f.go("driver"), 0)

    def fails(self, code, *words, ranks=0):
        status, out, err = self.python_alone(code, ranks)
        self.assertEqual(status, 1)
        for word in words:
            self.assertIn(word, err)
        return out, err

    def test_mistakes_at_the_beginning(self):
        self.fails(GOOD.replace("n: int) -> None:", "n: int) -> None"), "identity.py:21: error: expected ':'")
        self.fails("import no_such_module\n", "identity.py:1: error: ModuleNotFoundError: No module named 'no_such_module'")
        self.fails("\nnosuch()\n", "identity.py:2: error: NameError: name 'nosuch' is not defined")
        self.fails(GOOD.replace("def apply", "def aply"),
                   "identity.py:16: error: class Identity has no method apply, which its types need")
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
                ("1 / 0", ("heat.PyIdentity.apply: ZeroDivisionError: division by zero",)),
                ("raise heat.SolverException('not today')", ("not today",)),
                ("return 'z'", ("identity.py:26: error: apply returned 'z', not the array that it changed, or None: ",)),
                ("return [0] * 99", ("identity.py:26: error: apply returned a list, not ", "with extent 256 was given, not with 99")),
                ("a.b", ("NameError: name 'a' is not defined", 'identity.py", line 27, in apply'))]:
            self.fails(apply(bad), *words)
            self.assertEqual(self.select("SELECT outcome FROM trial ORDER BY id DESC LIMIT 1"), [("failed",)])

    def test_one_of_two_ranks(self):
        """No rank waits for the one that failed, and the message says where that was."""
        for before, error in ("services.add", "setServices"), ("# Arrays", "apply"):
            code = GOOD.replace(before, f"import os; 1 // (1 - int(os.environ.get('PMI_RANK', "
                                        f"os.environ.get('OMPI_COMM_WORLD_RANK', 0)))); {before}")
            _, err = self.fails(code, f"heat.PyIdentity.{error}: ZeroDivisionError", ranks=2)
            self.assertIn(f'identity.py", line {code[:code.index("import os")].count(chr(10)) + 1}, in {error}', err)

    def test_output_of_a_run_that_fails(self):
        out, err = self.fails(apply("print('so far'); raise RuntimeError('enough')"), "RuntimeError: enough")
        self.assertEqual((out.count("so far"), err.count("RuntimeError: enough")), (1, 2))  # summary and traceback

    def test_exit_and_interrupt(self):
        """sys.exit() in a component is a failure like others; an interrupt ends the process, as in C."""
        self.fails(apply("import sys; sys.exit(7)"), "heat.PyIdentity.apply: SystemExit: 7")
        code, out, err = self.python_alone(apply("import os, signal; print('x'); os.kill(os.getpid(), signal.SIGINT)"))
        self.assertEqual((code, err), (-signal.SIGINT, ""))

    def test_nothing_leaks(self):
        """Calls from C, good and failed, leave no reference and no byte."""
        with self.plate("heat.PyIdentity") as f:
            module = sys.modules["identity"]
            good = module.Identity.apply

            def bad(self, r, z):
                raise ValueError("x" * 1000)

            def use(n):
                for _ in range(n):
                    module.Identity.apply = good
                    self.assertEqual(f.go("driver"), 0)
                    module.Identity.apply = bad
                    with self.assertRaisesRegex(portolan.Error, "ValueError: xxx"):
                        f.go("driver")

            self.addCleanup(setattr, module.Identity, "apply", good)
            use(20)
            gc.collect()
            before, counts = resident(), [sys.getrefcount(o) for o in (None, good, bad)]
            use(60)  # some 3,000 calls
            gc.collect()
            self.assertLess(resident() - before, 1 << 20)
            now = [sys.getrefcount(o) for o in (None, good, bad)]
            self.assertEqual(now[1:], counts[1:])
            self.assertLess(abs(now[0] - counts[0]), 1000)  # the interpreter's own caches have some

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

    def test_communicator(self):
        """MPIService gives an integer, as MPI_Comm_f2c() takes it."""
        code, out, err = self.python_alone(GOOD.replace("        services.add", COMMUNICATOR + "        services.add"), ranks=2)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(sorted(line for line in out.splitlines() if line.startswith("of")),
                         [f"of 2 ranks number {rank} has int True" for rank in range(2)])

    def test_threads(self):
        """Calls from threads that C made, and Python did not know, at once."""
        for name, text in ("adder.py", ADDER), ("test.Adder.xml", '<component class="test.Adder" language="Python" '
                           'module="adder"><provides port="adder" type="lab.Adder"/></component>'):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        lab = portolan.sidl("lab", library=ENV["LAB"])
        with portolan.Framework(self.folder) as f:
            f.create("adder", "test.Adder")
            services = portolan.sidl("gov.cca").Services(f._framework.services)
            services.registerUsesPort("adder", "lab.Adder", None)
            f.builder.connect(services.getComponentID(), "adder", f.builder.getComponentID("adder"), "adder")
            self.assertEqual(lab.Desk().together(lab.Adder(services.getPort("adder")), 4, 5000), 20000)
            services.releasePort("adder")


class State(unittest.TestCase):
    def test_goes_to_python_and_back(self):
        """From C to Python and back, to the last bit."""
        folders = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(ENV["COUNTERS"])]
        with portolan.Framework(":".join(folders)) as f:
            counting = portolan.sidl("counting", library=ENV["COUNTERS"])
            services = portolan.sidl("gov.cca").Services(f._framework.services)
            for port, kind in ("work", "portolan.ports.Work"), ("state", "counting.State"):
                services.registerUsesPort(port, kind, None)
            f.create("counter", "test.Counter")
            for port in "work", "state":
                f.builder.connect(services.getComponentID(), port, f.builder.getComponentID("counter"), port)

            def consume():
                portolan.sidl("portolan.ports").Work(services.getPort("work")).consume(0.0)
                services.releasePort("work")

            def state():
                found = services.createTypeMap()
                counting.State(services.getPort("state")).exportState(2, found)
                services.releasePort("state")
                return found.getDouble("x", 0.0), found.getLong("count", -1)

            x = 0.3
            for n in range(1, 120):
                consume()
                x = 3.9 * x * (1 - x)
                self.assertEqual(state(), (x, n))
                if n % 2 and n > 100:  # the one in Python does not take it: the one in C goes on
                    with self.assertRaisesRegex(portolan.Error, "a count above 100 cannot be read"):
                        f.replace("counter", "test.PyCounter")
                else:
                    f.replace("counter", "test.PyCounter" if n % 2 else "test.Counter")


if __name__ == "__main__":
    unittest.main(verbosity=2)
