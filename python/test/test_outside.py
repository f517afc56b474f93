# SPDX-License-Identifier: BSD-3-Clause
"""Portolan from outside: stores, plans, runs. Environment as tests/meson.build makes it."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import portolan

try:
    import numpy as np
    import pandas as pd
except ImportError:
    np = pd = None

ENV = os.environ
FOLDER = tempfile.TemporaryDirectory()
PLATE = os.path.join(FOLDER.name, "plate.xml")


def setUpModule():
    for name in "plate.xml", "plate.inp":
        shutil.copy(os.path.join(ENV["SOURCE"], "examples", "heat", name), FOLDER.name)
    for name, words in {"plain.db": [], "rows.db": ["rows"]}.items():
        subprocess.run([ENV["EXPORT_STORE"], os.path.join(FOLDER.name, name), *words], check=True)
    os.chdir(FOLDER.name)


def tearDownModule():
    os.chdir("/")
    FOLDER.cleanup()


def python(code, **more):
    """Runs it in a process of its own."""
    return subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **more)


class Outside(unittest.TestCase):
    def refused(self, words, function, kind=portolan.Error):
        with self.assertRaises(kind) as caught:
            function()
        self.assertIn(words, str(caught.exception))
        return caught.exception


class Errors(Outside):
    def test_store(self):
        e = self.refused("'/no/such.db': cannot be read: No such file", lambda: portolan.Store("/no/such.db"))
        self.assertEqual(e.status, "EIO")
        e = self.refused("is not an SQLite database", lambda: portolan.Store(PLATE))
        self.assertEqual(e.status, "EFOREIGN")
        with portolan.Store("plain.db") as store:
            self.refused("no trial matches '99'", lambda: store.samples(trials=99))
            self.refused("no column 'exclusiv_ns'; did you mean 'exclusive_ns'?",
                         lambda: store.samples(["exclusiv_ns"]))
        self.refused("closed", store.trials, ValueError)

    def test_assembly(self):
        self.refused("none.xml", lambda: portolan.Assembly("none.xml"))
        with open("bad.xml", "w") as f:
            f.write('<assembly name="a">\n<instance name="x" clas="y.Z"/>\n</assembly>\n')
        e = self.refused("bad.xml:2: error: ", lambda: portolan.Assembly("bad.xml"))
        self.assertEqual(e.status, "ESYNTAX")
        with open("unknown.xml", "w") as f:
            f.write('<assembly name="a">\n<instance name="x" class="y.Z"/>\n</assembly>\n')
        self.refused("unknown.xml:2: error: ", portolan.Assembly("unknown.xml").check)
        a = portolan.Assembly(PLATE)
        self.refused("no instance of", lambda: a.set(nosuch=1))
        self.refused("did you mean 'n'?", lambda: a.set({"driver.m": 1}))
        self.refused("is not a whole number", lambda: a.set(n="many"))
        self.refused("heat.Cholmod", lambda: a.select(solver="heat.Colmod"))

    def test_plan_without_trials(self):
        a = portolan.Assembly(PLATE, store="empty.db")
        self.refused("empty.db", lambda: portolan.Plan(a).choose())
        sqlite3.connect("empty.db").close()
        plan = portolan.Plan(PLATE, "plain.db")  # which has trials of another plate
        self.refused("measure it with", lambda: plan.choose(n=32), portolan.CannotTell)


class Stores(Outside):
    def setUp(self):
        self.store = portolan.Store("plain.db")
        self.addCleanup(self.store.close)

    @unittest.skipUnless(pd, "needs pandas")
    def test_columns(self):
        frame = self.store.samples(["trial", "rank", "method", "calls", "exclusive_ns", "context.n"])
        self.assertEqual(list(frame), ["trial", "rank", "method", "calls", "exclusive_ns", "context.n"])
        with sqlite3.connect("plain.db") as sql:
            n, calls, ns = sql.execute("SELECT count(*), sum(calls), sum(exclusive) FROM call_data").fetchone()
        self.assertEqual((len(frame), frame.calls.sum()), (n, calls))
        self.assertAlmostEqual(frame.exclusive_ns.sum(), ns)
        solve = frame[(frame.method == "solve") & (frame.trial == 1)]
        self.assertEqual(set(solve["context.n"]), {32.0, 64.0})
        self.assertTrue(frame[frame.method == "go"]["context.n"].isna().all())
        everything = self.store.samples()
        self.assertIn("counter.PAPI_TOT_INS", everything)
        self.assertTrue((everything["exclusive_ns"] == frame.exclusive_ns).all())
        self.assertEqual(len(self.store.samples(["step"], trials=1, rank=1, first_step=1, last_step=1)), 2)

    @unittest.skipUnless(pd, "needs pandas")
    def test_metadata_and_pivot(self):
        trials = self.store.trials()
        self.assertEqual(trials["driver.n"][1], 16)
        self.assertEqual(trials["host"][0], "node7")
        frame = self.store.samples(["exclusive_ns", "driver.n"], trials=[2, 4])
        self.assertEqual(frame.groupby("driver.n").exclusive_ns.sum().to_dict(), {16: 16000.0, 32: 32000.0})
        table = self.store.pivot(trials=[1, 4, 6])
        self.assertEqual(list(table), [1, 4, 6])
        row = table.loc["driver.work.go solver.work.solve"]
        self.assertEqual((row[1], row[4]), (2100000.0, 28800.0))
        self.assertTrue(np.isnan(row[6]))

    def test_tree(self):
        tree = self.store.tree(1)
        self.assertEqual([len(tree), tree.row(1)["method"]], [4, "solve"])
        only = tree.filter(lambda row: row["method"] == "apply")
        self.assertEqual([only.row(i)["method"] for i in range(len(only))], ["go", "solve", "apply"])
        self.assertEqual(len(only.frame), 3) if pd else None
        self.assertIn("calls      pre.apply [heat.Jacobi]", str(only))
        self.assertIn("<pre>", tree._repr_html_())
        self.assertIn("=&gt; x", tree._repr_html_())
        worst = tree.outliers("exclusive", 1.2)[0]
        self.assertEqual((worst["method"], worst["exclusive_max_rank"]), ("solve", 1))

    @unittest.skipUnless(pd, "needs pandas")
    def test_rows(self):
        with portolan.Store("rows.db") as store, sqlite3.connect("rows.db") as sql:
            trial, n = sql.execute("SELECT trial, count(*) FROM call GROUP BY trial ORDER BY 2 DESC").fetchone()
            rows = store.rows(trial)
            self.assertEqual(len(rows), n)
            for name, column in {"inclusive_ns": "inclusive", "start_ns": "start"}.items():
                wanted, = sql.execute(f"SELECT sum({column}) FROM call WHERE trial = ?", (trial,)).fetchone()
                self.assertAlmostEqual(rows[name].sum(), wanted)
            wanted = dict(sql.execute("SELECT method, count(*) FROM call WHERE trial = ? GROUP BY 1", (trial,)))
            self.assertEqual(rows.method.astype(str).value_counts().to_dict(), wanted)
            wanted, = sql.execute("SELECT sum(context1) FROM call WHERE trial = ? AND context1_name = 'n'",
                                  (trial,)).fetchone()
            if wanted:
                self.assertAlmostEqual(rows["context.n"].sum(), wanted)

    def test_without_pandas_and_numpy(self):
        code = """
import sys
for name in {}: sys.modules[name] = None
import portolan
with portolan.Store("plain.db") as store:
    f = store.samples(["method", "calls", "driver.n"], trials=4)
    print(type(f).__name__, list(f["method"]), list(f["calls"]), list(f["driver.n"]))
    print(len(store.trials()["trial"]), len(portolan.Store("rows.db").rows(1)["method"]) >= 0)
"""
        made = python(code.format(["pandas", "numpy"]))
        self.assertEqual((made.stdout.splitlines(), made.stderr),
                         (["dict ['go', 'solve'] [1, 2] [32, 32]", "6 True"], ""))
        if np is not None:
            made = python(code.format(["pandas"]))
            self.assertEqual((made.stdout.splitlines(), made.stderr),
                             (["recarray ['go', 'solve'] [1, 2] [32, 32]", "6 True"], ""))

    def test_import_is_light(self):
        made = python("import portolan, sys; print([m for m in ('numpy', 'json', 'logging', 'subprocess') "
                      "if m in sys.modules], 'libmpi' in open('/proc/self/maps').read())")
        self.assertEqual(made.stdout, "[] False\n")

    def test_nothing_leaks(self):
        def resident():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def use():
            with portolan.Store("plain.db") as store:
                store._store.columns(None, None, None, None, None, False)
                store._store.trials("1-3")
                store._store.summary(1)
                store._store.calls(1)
            a = portolan.Assembly(PLATE).set(n=40).select(solver="heat.Umfpack")
            a.write()
            for bad in lambda: a.set(n="x"), lambda: portolan.Store("/no"), lambda: portolan.Assembly("bad.xml"):
                try:
                    bad()
                except portolan.Error:
                    pass

        for _ in range(60):
            use()
        before = resident()
        for _ in range(300):
            use()
        self.assertLess(resident() - before, 1 << 20)


class Runs(Outside):
    def test_run(self):
        a = portolan.Assembly(PLATE, store="run.db").set({"driver.n": 16, "driver.steps": 4, "driver.report": 0})
        code = ("import portolan; a = portolan.Assembly('plate.xml', store='%s').set({'driver.n': 16, "
                "'driver.steps': 4, 'driver.report': 0}).select(solver='heat.Cholmod'); print(a.run(fixed=True))")
        self.assertEqual(a.select(solver="heat.Cholmod").run(fixed=True), 0)
        with portolan.Store("run.db") as store:
            trial, = store._store.trials()
        self.assertEqual([trial["outcome"], trial["purpose"], trial["implementations"]["solver"]],
                         ["finished", "fixed", "heat.Cholmod"])
        made = subprocess.run([ENV["MPIEXEC"], "-n", "2", sys.executable, "-c", code % "two.db"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((made.returncode, made.stdout), (0, "0\n0\n"))
        with portolan.Store("two.db") as store:
            self.assertEqual([t["ranks"] for t in store._store.trials()], [2])

    def test_failure(self):
        a = portolan.Assembly(PLATE, store="fail.db").set({"driver.n": 16, "driver.input": "nosuch.inp"})
        self.refused("nosuch.inp", a.run)
        self.assertEqual(a.set({"driver.input": "plate.inp", "driver.steps": 2}).run(), 0)

    def test_interrupt_ends_a_run(self):
        made = python("""
import logging, os, signal, portolan
class Interrupt(logging.Handler):
    def emit(self, record): os.kill(os.getpid(), signal.SIGINT)
logging.getLogger("portolan").addHandler(Interrupt())
logging.getLogger("portolan").setLevel(logging.DEBUG)
a = portolan.Assembly("plate.xml", store="interrupted.db").set({"driver.n": 16, "driver.steps": 4})
a.run()
print("not interrupted")
""")
        self.assertEqual((made.returncode, made.stdout.count("not interrupted")), (-signal.SIGINT, 0))

    def test_framework(self):
        with portolan.Framework() as f:
            self.assertIn("heat.Cholmod", f.classes)
            f.create("driver", "heat.Driver", n=16, steps=2, report=0,
                     input=os.path.join(FOLDER.name, "plate.inp"))
            f.create("assembler", "heat.CscAssembler")
            f.create("solver", "heat.Umfpack")
            f.connect("driver", "assembler", "assembler", "assembler")
            f.connect("driver", "solver", "solver", "solver")
            f.replace("solver", "heat.Cholmod")
            self.assertEqual(f.go("driver"), 0)
            self.assertEqual(f.go("driver"), 0)
            self.refused("solve", lambda: f.connect("driver", "solve", "solver", "solver"))
            self.refused("heat.Nosuch", lambda: f.create("x", "heat.Nosuch"))
            self.refused("no parameter 'm'", lambda: f.create("x", "heat.Driver", m=1))
            self.refused("nobody", lambda: f.destroy("nobody"))
        self.refused("closed", lambda: f.go("driver"), ValueError)


class Plans(Outside):
    said = []

    @classmethod
    def setUpClass(cls):
        cls.said = []
        cls.trials = portolan.measure(PLATE, budget=5, say=cls.said.append)
        cls.plan = portolan.Plan(PLATE)

    def test_measure(self):
        self.assertGreaterEqual(self.trials, 4)
        self.assertIn(f"done: {self.trials} trials", self.said[-1])
        with portolan.Store("portolan.db") as store:
            self.assertEqual({t["purpose"] for t in store._store.trials()}, {"explore"})

    def test_interrupt_ends_a_session(self):
        with portolan.Store("portolan.db") as store:
            before = len(store._store.trials())
        interrupt = "import os, signal, sys; os.kill(os.getppid(), signal.SIGINT); signal.pause()"
        with self.assertRaises(KeyboardInterrupt):
            portolan.measure(PLATE, launcher=[sys.executable, "-c", interrupt])
        with portolan.Store("portolan.db") as store:
            self.assertEqual(len(store._store.trials()), before)

    def test_failed_trial(self):
        a = portolan.Assembly(PLATE, store="failed.db").set({"driver.input": "nosuch.inp"})
        said = []
        self.refused("every trial failed", lambda: portolan.measure(a, budget=3, say=said.append))
        self.assertIn("nosuch.inp", " ".join(said))

    def test_choice_is_the_commands(self):
        choice = self.plan.choose(n=100)
        made = subprocess.run([ENV["PORTOLAN"], "optimize", "--json", "--set", "n=100", PLATE],
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(made.returncode, 3 if choice.verdict == "cannot tell" else 0)
        wanted = json.loads(made.stdout)
        self.assertEqual({k: choice[k] for k in wanted["choice"]}, wanted["choice"])
        self.assertEqual([choice.ranks, choice.parameters], [wanted["ranks"], wanted["parameters"]])
        self.assertEqual(set(choice.classes), {"assembler", "preconditioner", "solver"})
        self.assertEqual(choice.variables[0].instance, wanted["choice"]["variables"][0]["instance"])
        self.assertIn("Choice for 'plate'", str(choice))
        self.assertEqual(self.plan.why(n=100)[:len(choice.reasons)], choice.reasons)
        self.refused("verdict", lambda: choice.nosuch, AttributeError)

    def test_predict(self):
        a, b = self.plan.predict(n=64), self.plan.predict(n=96)
        self.assertLess(a.low_ns, a.total_ns)
        self.assertLess(a.total_ns, b.total_ns)
        self.assertEqual(a.steps, 160)
        self.assertAlmostEqual(a.total_ns, self.plan.choose(n=64).as_written.total_ns)
        self.refused("heat.Umfpack", lambda: self.plan.predict({"solver": "heat.Umpack"}))
        self.assertGreater(len(self.plan.call_graph()), 2)

    def test_models(self):
        models = self.plan.models()
        model = next(m for m in models if m.instance == "driver" and m.quantity == "exclusive_ns")
        self.assertEqual(list(model.range), ["driver.n"])
        least, most = model.range["driver.n"]
        self.assertEqual((least, most, model.error.points), (32, 128, 4))
        self.assertEqual(model.formula, model.info.formula)
        at = model.predict(64)
        self.assertTrue(at.low <= at.value <= at.high and at.octaves == 0)
        self.assertGreater(model.predict(2 * most).octaves, 0)
        self.refused("driver.n", model, TypeError)
        self.refused("['m']", lambda: model(m=3), TypeError)
        if np is not None:
            self.assertEqual(list(model([32, 64])), [model(32), model(64)])
            self.assertEqual(model(np.full((2, 3), 64)).shape, (2, 3))
        with open("model.xml", "w") as f:
            f.write(model.write())
        again = portolan.Model.read("model.xml")
        self.assertEqual((again.formula, again(64)), (model.formula, model(64)))
        self.assertIn("double", model.write(as_c=True))
        with open("model.xml", "w") as f:
            f.write("<model>")
        self.refused("model.xml:1", lambda: portolan.Model.read("model.xml"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
