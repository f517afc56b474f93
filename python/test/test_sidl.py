# SPDX-License-Identifier: BSD-3-Clause
"""Calls from Python into a plug-in: every type in every mode, arrays, exceptions, inheritance."""
import gc
import os
import subprocess
import sys
import traceback
import unittest

import portolan

if "WITHOUT_NUMPY" in os.environ:
    sys.modules["numpy"] = None
try:
    import numpy as np
except ImportError:
    np = None

lab = portolan.sidl("lab", library=os.environ["LAB"])


def setUpModule():
    lab.Desk()


class Calls(unittest.TestCase):
    def setUp(self):
        self.desk = lab.Desk()

    def test_values(self):
        d = self.desk
        for method, a, c in [(d.passBool, True, False), (d.passChar, "x", "y"), (d.passInt, -2**31, 2**31 - 1),
                             (d.passLong, -2**63, 2**63 - 1), (d.passFloat, 0.5, -0.25), (d.passDouble, 1e-300, 0.1),
                             (d.passFcomplex, 1 + 0.5j, 2j), (d.passDcomplex, 1e300 - 1j, 3 + 0j),
                             (d.passOpaque, 4096, 0), (d.passString, "größer ", ""), (d.passString, "x" * 100000, "b"),
                             (d.passString, None, "b"), (d.passColor, lab.Color.blue, lab.Color.red)]:
            self.assertEqual(method(a, c), (c, a, a))
        self.assertIs(type(d.passColor(7, 8)[1]), lab.Color)
        self.assertEqual(d.add(2, 3), 5)
        self.assertEqual(list(lab.Color), [7, 0, -1])

    def test_refused_values(self):
        d = self.desk
        for kind, words, call in [
                (TypeError, "lab.Desk.add takes 2 arguments (i(i,i)), not 1", lambda: d.add(1)),
                (OverflowError, "outside the range of an int", lambda: d.add(2**31, 0)),
                (OverflowError, "", lambda: d.passLong(2**63, 0)),
                (TypeError, "", lambda: d.add("1", 0)), (TypeError, "", lambda: d.passDouble("x", 0)),
                (ValueError, "one byte", lambda: d.passChar("xy", "z")),
                (ValueError, "no NUL", lambda: d.passString("a\0b", "")),
                (TypeError, "of type lab.Named is needed", lambda: d.passObject(1, None)),
                (TypeError, "no keyword arguments", lambda: d.add(a=1, b=2)),
                (TypeError, "an interface", lab.Named),
                (AttributeError, "left", lambda: lab.Desk.swap(3, 1.0))]:
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(portolan.Error, "no tables of package nowhere"):
            portolan.sidl("nowhere", library=os.environ["LAB"])
        with self.assertRaisesRegex(portolan.Error, "tables of package nowhere; name one"):
            portolan.sidl("nowhere")
        with self.assertRaisesRegex(portolan.Error, "no/such.so"):
            portolan.sidl("nowhere", library="/no/such.so")

    def test_objects(self):
        d, other = self.desk, lab.Desk()
        was, b, c = d.passObject(other, d)
        self.assertEqual((was, b, c), (d, other, other))
        self.assertNotEqual(was, other)
        self.assertIs(type(b), lab.Desk)
        self.assertIsInstance(b, lab.Counted)
        self.assertEqual(d.passObject(None, None), (None, None, None))
        named = lab.Named(other)
        self.assertEqual((named.name(), d.countNamed(named), hash(named)), ("a desk", 6, hash(other)))
        self.assertEqual(lab.Counted.count(d), 3)
        self.assertFalse(hasattr(named, "count"))
        self.assertIn("lab.Desk", repr(named))
        self.assertEqual([o.name() for o in d.both([d, other])], ["a desk", "a desk"])

    def test_structs(self):
        nest = lab.Nest(pair=lab.Pair("left", 2.5), color=lab.Color.red, numbers=[1.0, 2.0], desk=self.desk,
                        z=1j, b=True, c="q")
        empty = lab.Nest(pair=lab.Pair(None, 0), color=0, numbers=None, desk=None, z=0, b=False, c="r")
        was, b, c = self.desk.passNest(nest, empty)
        self.assertEqual((was.pair.left, was.color, was.numbers, was.desk, was.b, was.c),
                         (None, lab.Color.green, None, None, False, "r"))
        for got in b, c:
            self.assertEqual((got.pair.left, got.pair.right, got.color, got.desk, got.z, got.b, got.c),
                             ("left", 2.5, lab.Color.red, self.desk, 1j, True, "q"))
            self.assertEqual(list(got.numbers), [1.0, 2.0])

    def test_static(self):
        before = lab.Desk.made()
        kept = lab.Desk()
        self.assertEqual(lab.Desk.made(), before + 1)
        was, now = lab.Desk.swap(lab.Pair("a", 1.0), 9.0)
        self.assertEqual((was.left, was.right, now.left, now.right), ("a", 1.0, "swapped", 9.0))
        self.assertIsNotNone(kept)

    def test_strings(self):
        was, b, c = self.desk.passStrings(["one", "", "ü"], ["was"])
        self.assertEqual((was, b, c), (["was"], ["one", "", "ü"], ["one", "", "ü"]))


class Exceptions(unittest.TestCase):
    def test_classes(self):
        with self.assertRaises(lab.Failure) as caught:
            lab.Desk().fail(2, "no bread")
        e = caught.exception
        self.assertEqual((str(e), e.note, type(e)), ("no bread", "no bread", lab.Failure))
        self.assertEqual(e.trace.count("in fail"), 3, e.trace)
        self.assertIn("lab_server.c", "".join(traceback.format_exception(e)))
        self.assertIsInstance(e, portolan.Error)
        self.assertEqual(e.sidl.__sidl_class__, "lab.Failure")
        with self.assertRaises(lab.Failure) as caught:
            lab.Desk().fail(-1, "worse")
        self.assertIs(type(caught.exception), lab.WorseFailure)


@unittest.skipUnless(np, "needs NumPy")
class Arrays(unittest.TestCase):
    def setUp(self):
        self.desk = lab.Desk()
        self.copies = portolan.copies()

    def copied(self):
        return portolan.copies() - self.copies

    def test_without_a_copy(self):
        x = np.arange(10.0)
        self.assertEqual(self.desk.sum(x), 45)
        self.assertEqual(self.desk.sum(x[:4]), 6)
        a = np.asfortranarray(np.ones((2, 3)))
        again = self.desk.scale(a, 4.0)
        self.assertIs(again, a)
        self.assertTrue((a == 4).all())
        self.assertEqual(self.desk.sumOrdered(np.arange(6.0).reshape(2, 3)), 3 * 10 + 12)
        f = self.desk.fibonacci(8)
        self.assertEqual((list(f), f.dtype), ([0, 1, 1, 2, 3, 5, 8, 13], np.int64))
        f[0] = 7
        del self.desk
        gc.collect()
        self.assertEqual((f[0], self.copied()), (7, 0))

    def test_copies(self):
        self.assertEqual(self.desk.sum([1, 2, 3]), 6)
        self.assertEqual(self.desk.sum(np.arange(3)), 3)
        self.assertEqual(self.desk.sum(np.arange(10.0)[::2]), 20)
        self.assertEqual(self.copied(), 3)
        c = np.ones((2, 3))
        made = self.desk.scale(c, 2.0)
        self.assertTrue((c == 1).all() and (made == 2).all() and made.shape == (2, 3))
        self.assertEqual(self.desk.sumOrdered(np.asfortranarray(np.arange(6.0).reshape(2, 3))), 42)
        frozen = np.ones((2, 2), order="F")
        frozen.flags.writeable = False
        self.assertTrue((self.desk.scale(frozen, 3.0) == 3).all() and (frozen == 1).all())
        self.assertEqual(self.desk.sum(np.array([1.0, 2.0], dtype=">f8")), 3)

    def test_every_layout(self):
        base = np.arange(60.0).reshape(6, 10)
        for a in base, base.T, base[::-1], base[::2, ::-3], base[1:1], np.asfortranarray(base):
            c = np.full((1, 1), 3.0)
            was, b, now = self.desk.passArray(a, c)
            self.assertTrue(was is c and (b == a).all() and (now == a).all() and b.shape == a.shape)
        self.assertEqual(self.copied(), 0)
        self.assertEqual(self.desk.passArray(None, None), (None, None, None))

    def test_refused(self):
        for kind, words, call in [(ValueError, "of 1 dimension is needed, not of 2", lambda: self.desk.sum(np.ones((2, 2)))),
                                  ((TypeError, ValueError), "", lambda: self.desk.sum(["a"])),
                                  ((TypeError, ValueError), "", lambda: self.desk.sum(3j))]:
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(words, str(caught.exception))


class WithoutNumPy(unittest.TestCase):
    @unittest.skipUnless(np, "it is what runs")
    def test_the_same(self):
        made = subprocess.run([sys.executable, __file__], env={**os.environ, "WITHOUT_NUMPY": "1"}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((made.returncode, "skipped 'needs NumPy'" in made.stdout), (0, True), made.stdout)


class Leaks(unittest.TestCase):
    def test_no_reference_and_no_byte(self):
        def resident():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        desk, other = lab.Desk(), lab.Desk()
        x = np.ones(1000) if np else object()
        nest = lab.Nest(lab.Pair("l" * 100, 1), 7, [1.0] * 100, desk, 0, False, "c")

        def use(n):
            for _ in range(n):
                desk.passString("s" * 200, "t" * 200)
                desk.passObject(other, desk)
                desk.passNest(nest, nest)
                desk.passStrings(["a" * 50], ["b" * 50])
                lab.Desk.swap(nest.pair, 1.0)
                for bad in lambda: desk.fail(0, "x" * 100), lambda: desk.passString("a", 3), lambda: desk.passObject(other, 3):
                    try:
                        bad()
                    except (portolan.Error, TypeError):
                        pass
                if np:
                    desk.sum(x)
                    desk.fibonacci(100)
                    desk.scale(np.ones((10, 10)), 2.0)
                    desk.passArray(x.reshape(10, 100), x.reshape(10, 100))
                lab.Desk()

        use(2000)
        counts = [sys.getrefcount(o) for o in (desk, other, x, nest, lab.Desk, None)]
        before = resident()
        use(10000)
        self.assertLess(resident() - before, 1 << 20)
        self.assertEqual([sys.getrefcount(o) for o in (desk, other, x, nest, lab.Desk)], counts[:-1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
