# SPDX-License-Identifier: BSD-3-Clause
"""Products whose every digit is known: blas.py CALLS [CONTROL LIBRARY...].

Matrices of small integers have an exact product in double precision, whatever the order of summing:
numpy's own integer product, which uses no BLAS, is the judge of each call. With CONTROL, the control
file that this process listens to, it switches to one LIBRARY after the other meanwhile and goes on
calling until the library is mapped, and then for CALLS calls more.
"""
import sys

import numpy


def generator(seed=20061113):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


number = generator()
calls = {"gemm": 0, "gemv": 0, "syrk": 0, "dot": 0}
wrong = 0


def integers(*shape):
    size = int(numpy.prod(shape))
    return numpy.array([next(number) % 2001 - 1000 for _ in range(size)], dtype=numpy.int64).reshape(shape)


def check(routine, left, right):
    """One call of ROUTINE, judged."""
    global wrong
    exact = left @ right
    a, b = left.astype(numpy.float64), right.astype(numpy.float64)
    result = a @ (a.T if routine == "syrk" else b)
    calls[routine] += 1
    if not numpy.array_equal(result, exact.astype(numpy.float64)):
        wrong += 1


def one_round():
    m, n, k = (2 + next(number) % 30 for _ in range(3))
    left = integers(m, k)
    check("gemm", left, integers(k, n))
    check("gemv", left, integers(k))
    check("syrk", left, left.T)
    check("dot", integers(k), integers(k))


def is_mapped(library):
    with open("/proc/self/maps") as maps:
        return any(line.rstrip().endswith(library) for line in maps)


def work(rounds):
    for _ in range(rounds):
        one_round()


rounds = int(sys.argv[1])
work(rounds)
for library in sys.argv[3:]:
    with open(sys.argv[2], "w") as control:
        control.write("use * %s\n" % library)
    patience = 20000
    while not is_mapped(library) and patience:
        one_round()
        patience -= 1
    if not patience:
        print("%s was never loaded" % library)
    work(rounds)
print("wrong", wrong)
for routine, n in sorted(calls.items()):
    print(routine, n, file=sys.stderr)
sys.exit(wrong != 0)
