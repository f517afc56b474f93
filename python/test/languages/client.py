# SPDX-License-Identifier: BSD-3-Clause
"""Calls of package ft as data: method, arguments, what comes back. Usage: client.py LIBRARY LANGUAGE CALLS.

Exits with the number of failures.
"""
import gc
import itertools
import os
import sys

import numpy as np
import portolan

ft = portolan.sidl("ft", library=sys.argv[1])
if sys.argv[2] == "python":
    import server  # noqa: F401 (its classes)
desk = ft.Server()
child = ft.Child()
desk.setName("server")
child.setName("child")
POINTS = ft.Point(1.5, 2), ft.Point(3.0, 4)
PACKS = ft.Pack(True, "pack ", ft.Point(8.0, 9), desk), ft.Pack(False, "old", ft.Point(), None)
# What is passed by name: a, and what c was.
VALUES = {
    "Bool": [(True, False), (False, True)],
    "Char": [("a", "\xe9"), ("\xe9", "a")],
    "Dcomplex": [(1 + 2j, 3 - 4j)], "Fcomplex": [(1 + 2j, 3 - 4j)],
    "Double": [(1e-300, 2.5), (-0.0, float("inf"))], "Float": [(2.0**100, 2.5)],
    "Int": [(-2**31, 5), (2**31 - 1, 5)], "Long": [(-2**63, 5), (2**63 - 1, 5)],
    "Opaque": [(4096, 0)], "Color": [(ft.Color.blue, ft.Color.red)],
    "String": [("one", ""), ("", "b"), ("blanks at the end  ", "  "), ("zw\xf6lf \u20ac", "x"), ("x" * 100000, "y")],
    "Object": [(desk, child), (None, child), (child, None), (None, None)],
    "Point": [POINTS], "Pack": [PACKS],
    "Bools": [(np.array([1, 0, 1], "i"), np.zeros(1, "i"))],
    "Chars": [(np.array([b"a", b"b", b"c"]), np.array([b"z"])), (bytearray(b"abc"), bytearray(b"z"))],
    "Dcomplexes": [(np.array([1 + 2j, 3]), np.array([5j]))],
    "Fcomplexes": [(np.array([1 + 2j, 3], "F"), np.array([5j], "F"))],
    "Doubles": [(np.arange(3.0), np.ones(1)), (np.arange(6.0)[::2], np.ones(1)), (np.arange(3.0)[::-1], np.ones(2))],
    "Floats": [(np.arange(3, dtype="f"), np.ones(1, "f"))],
    "Ints": [(np.arange(3, dtype="i"), np.ones(1, "i")), ([1, 2, 3], [4])],
    "Longs": [(np.array([1, 2**63 - 1]), np.ones(1, "l"))],
    "Opaques": [([0, 4096, 8], [1])], "Strings": [(["one ", "", "zw\xf6lf"], ["old"])],
    "Colors": [(np.array([7, 0, -1]), np.array([8]))], "Objects": [([desk, None, child], [child])],
    "Any": [(np.arange(4, dtype="i"), np.ones(1))],
}
if sys.argv[2] != "f":  # whose class takes this one alone
    VALUES["Any"] += [(np.arange(6.0).reshape(2, 3), np.ones(2)), (np.array([b"a"]), np.ones(1, "F"))]


def weight(index):
    return sum(i * 10.0**k for k, i in enumerate(index))


def numbered(rank, order):
    """(i1 + 10 i2 …) in two elements of each dimension from 1."""
    a = np.empty((2,) * rank, order=order)
    for index in itertools.product((0, 1), repeat=rank):
        a[index] = weight([i + k + 1 for k, i in enumerate(index)])
    return a


def weighed(a, low=None):
    low = low or [0] * a.ndim
    return sum(float(a[i]) * weight([k + x for k, x in zip(i, low)]) for i in itertools.product(*map(range, a.shape)))


def cases():
    for name, pairs in VALUES.items():
        for a, was in pairs:
            yield desk, "pass" + name, (a, was), (was, a, ... if name == "Any" and sys.argv[2] == "f" else a)
    for rank, order in itertools.product(range(1, 8), "CF"):
        a = numbered(rank, order)
        yield desk, f"make{rank}", (order == "C",), a
        yield desk, f"weigh{rank}", (a,), weighed(a)
        back = a[(slice(None, None, -1),) * rank]
        yield desk, f"weigh{rank}", (back,), weighed(back)
        low = tuple(range(1, rank + 1))
        yield desk, f"weigh{rank}", (portolan.bounded(a, low),), weighed(a, low)
    square = np.array([[1.0, 2], [3, 4]])
    for a in square, square.T, np.asfortranarray(square):
        yield desk, "ordered", (a, a.copy()), (a, 2 * a)
    x = np.array([[1.0, 3, 5, 7], [2, 4, 6, 8]])
    yield desk, "sum", (x, 2), float(sum(x[i, j] * (i + 10 * j) for i in range(2) for j in range(4)))
    yield desk, "scale", (np.array([1.0, 2, 3]), 2.0), np.array([2.0, 4, 6])
    yield desk, "total", (np.arange(1, 9, dtype="i").reshape((2, 2, 2), order="F"),), 168
    yield desk, "first", (np.array([1 + 2j, 3], "F"), np.array([5, 6])), 6 + 2j
    yield desk, "add", (3, 4), 7
    yield desk, "addReal", (.5, .25), .75
    yield desk, "addText", ("a ", "b "), "a b "
    yield ft.Server, "level", (np.array([1.0]),), ft.Color.red
    yield ft.Child, "level", (np.array([-1.0]),), ft.Color.blue
    yield desk, "getName", (), "server"
    yield child, "getName", (), "child!"
    yield ft.Named(child), "getName", (), "child!"
    yield child, "call", (21,), 42
    callback = ft.Callback(child)
    yield desk, "dive", (2, 21, callback), 42
    yield desk, "dive", (3, -1, callback), (ft.Failure, "called back", None)
    yield desk, "dive", (3, 1, None), (ft.Failure, "failed", None)
    yield desk, "dive", (3, 2, None), (ft.WorseFailure, "failed worse", None)
    yield desk, "dive", (3, 3, None), (ft.CodedFailure, "failed by code", 42)
    yield desk, "missing", (), (portolan.sidl("sidl").NotImplementedException, "ft.Server.missing is not implemented", None)
    # Mistakes of the caller.
    yield desk, "weigh2", (np.ones(3),), (ValueError, "an array of 2 dimensions is needed, not of 1", None)
    yield desk, "passInt", (2**31, 0), (OverflowError, None, None)
    yield desk, "passObject", (3, None), (TypeError, None, None)
    if sys.argv[2] == "f":
        yield desk, "fault", (0,), (portolan.Error, "ft.Arrays.fault: a was left unset; use createCol or createRow", None)


def same(got, expected):
    if expected is ...:  # Fortran's class leaves it unset
        return True
    if isinstance(expected, portolan.Struct):
        return type(got) is type(expected) and all(same(getattr(got, n), getattr(expected, n)) for n in expected.__slots__)
    if isinstance(got, np.ndarray) and isinstance(expected, (list, bytearray)):
        expected = np.asarray(expected) if isinstance(expected, list) else np.frombuffer(expected, "S1")
    if isinstance(expected, (tuple, list)):
        return type(got) is type(expected) and len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, np.ndarray):
        return np.shape(got) == expected.shape and bool((np.asarray(got).astype(expected.dtype) == expected).all())
    return got == expected and (got is None) == (expected is None)


def fails_as(error, kind, note, code):
    return (isinstance(error, kind) and note in (None, getattr(error, "note", str(error)))
            and (code is None or (error.getCode(), isinstance(error, ft.Failure), "dive" in error.trace) == (code, True, True)))


def is_right(on, method, given, expected):
    fault = expected if isinstance(expected, tuple) and isinstance(expected[0], type) else None
    try:
        made = getattr(on, method)(*given)
    except Exception as e:
        if fault and fails_as(e, *fault):
            return True
        print(f"FAILED: {method}{given!r:.100} raised {type(e).__name__}: {e!s:.300}")
        return False
    if not fault and same(made, expected):
        return True
    print(f"FAILED: {method}{given!r:.100} gave {made!r:.300}, not {expected!r:.300}")
    return False


def everything():
    a = ft.Everything(True, "x", 1 + 2j, 3.0, 4 + 5j, 6.0, 7, 8, 4096, ft.Color.red, PACKS[0],
                      np.array([[0.0, 0], [5, 0]]), np.arange(1, 7))
    c = ft.Everything(h=1, table=np.zeros((2, 2)), fixed=[1] * 6)
    c = desk.passEverything(a, c)
    expected = ft.Everything(True, "x", 1 + 2j, 3.0, 4 + 5j, 6.0, 8, 8, 4096, ft.Color.red, PACKS[0],
                             a.table, np.arange(2, 8))
    if same(c, expected):
        return True
    print(f"FAILED: passEverything gave {c}")
    return False


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    failures = sum(not is_right(*case) for case in cases()) + (not everything())
    before = ft.Server.next(0)
    failures += ft.Server.next(5) != before + 5
    if portolan.lower(desk.make3(True)) != (1, 2, 3):
        failures += 1
        print("FAILED: lower bounds are lost")
    used = []
    again = [case for case in cases() if case[1] not in ("scale", "ordered")]  # which change what they are given
    for _ in range(3):  # of equally many calls, so that only what is left of a call is more
        for _ in range(int(sys.argv[3]) // len(again) // 3 + 1):
            failures += sum(not is_right(*case) for case in again) + (not everything())
        gc.collect()
        used.append((resident(), sys.getrefcount(desk), sys.getrefcount(child), sys.getrefcount(PACKS[0])))
    if used[2][0] - used[1][0] > 1 << 20 or used[2][1:] != used[1][1:]:
        failures += 1
        print(f"FAILED: something is left of calls: {used}")
    sys.exit(min(failures, 99))


main()
