# SPDX-License-Identifier: BSD-3-Clause
"""The classes of package ft in Python, as sidl/test has them in the other languages."""
import itertools

import portolan

ft = portolan.sidl("ft")
sidl = portolan.sidl("sidl")


def give(self, a, c):
    """The result is what c was; b and c become a."""
    return c, a, a


def weight(index):
    return sum(i * 10.0**k for k, i in enumerate(index))


def weigh(self, a):
    if a is None:
        return -1.0
    low = portolan.lower(a)
    return sum(a[i] * weight([k + first for k, first in zip(i, low)]) for i in itertools.product(*map(range, a.shape)))


class Named:
    def __init__(self):
        self.text = None

    def setName(self, name):
        self.text = name

    def getName(self):
        return self.text


class Server(Named):
    counter = 0

    for name in ("Bool Char Dcomplex Double Fcomplex Float Int Long Opaque String Color Object Point Pack Bools Chars "
                 "Dcomplexes Doubles Fcomplexes Floats Ints Longs Opaques Strings Colors Objects Any").split():
        locals()["pass" + name] = give
    for rank in range(1, 8):
        locals()[f"weigh{rank}"] = weigh

    def passEverything(self, a, c):
        import numpy

        for name in "bcjk":
            setattr(c, name, getattr(a, name))
        for name in "defghi":
            setattr(c, name, getattr(c, name) + getattr(a, name))
        c.pack, c.fixed = a.pack, numpy.add(c.fixed, a.fixed)
        c.table += a.table
        return c

    def add(self, a, b):
        return a + b

    addReal = addText = add

    def ordered(self, a, b):
        return a, 2 * b

    def sum(self, x, n):
        return sum(x[i, j] * (i + 10 * j) for i, j in itertools.product(*map(range, x.shape)))

    def scale(self, x, factor):
        x *= factor

    def total(self, x):
        return sum(n * v for n, v in enumerate(x.flatten("F")))

    def first(self, z, l):
        return complex(z[0].real * l[-1], z[0].imag)

    def fault(self, kind):
        return None  # what is said of a wrong array: test_component.py

    @staticmethod
    def next(step):
        Server.counter += step
        return Server.counter

    @staticmethod
    def level(x):
        return ft.Color.red if len(x) and x[0] > 0 else ft.Color.blue

    def dive(self, depth, kind, c):
        if depth > 0:
            return ft.Server(self).dive(depth - 1, kind, c)
        if c:
            return c.call(kind)
        if kind == 3:
            failure = ft.CodedFailure("failed by code")
            failure.setCode(42)
            raise failure
        raise ft.Failure("failed") if kind == 1 else ft.WorseFailure("failed worse")

    def missing(self):
        raise sidl.NotImplementedException("ft.Server.missing is not implemented")


def maker(rank):
    def make(self, rows):
        import numpy

        a = numpy.empty((2,) * rank, order="C" if rows else "F")
        for index in itertools.product((0, 1), repeat=rank):
            a[index] = weight([i + k + 1 for k, i in enumerate(index)])
        return portolan.bounded(a, tuple(range(1, rank + 1)))

    return make


for rank in range(1, 8):
    setattr(Server, f"make{rank}", maker(rank))


class Child(Server):
    def getName(self):
        return super().getName() + "!"

    def call(self, x):
        if x < 0:
            raise ft.Failure("called back")
        return 2 * x


class CodedFailure:
    code = 0

    def setCode(self, code):
        self.code = code

    def getCode(self):
        return self.code


for made in Server, Child, CodedFailure:
    portolan.implement("ft." + made.__name__)(made)
