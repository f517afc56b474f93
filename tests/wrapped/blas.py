# SPDX-License-Identifier: BSD-3-Clause
"""Products whose every digit is known: blas.py CALLS [CONTROL LIBRARY...].

Matrices of small integers have an exact product in double precision, whatever the order of summing:
numpy's own integer product, which uses no BLAS, is the judge of each call. With CONTROL, the control
file that this process is steered by, it asks for one LIBRARY after the other, goes on calling until
there is a reply, and then for CALLS calls more.
"""
import os
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


def work(rounds):
    for _ in range(rounds):
        one_round()


rounds = int(sys.argv[1])
work(rounds)
for library in sys.argv[3:]:
    control, reply, patience = sys.argv[2], sys.argv[2] + ".reply", 100000
    if os.path.exists(reply):
        os.unlink(reply)
    with open(control + ".new", "w") as order:
        order.write("use * %s\n" % library)
    os.rename(control + ".new", control)
    while not os.path.exists(reply) and patience:
        one_round()
        patience -= 1
    with open(reply) as answer:
        print(library, " ".join(answer.read().split()))
    work(rounds)
print("wrong", wrong)
for routine, n in sorted(calls.items()):
    print(routine, n, file=sys.stderr)
sys.exit(wrong != 0)
