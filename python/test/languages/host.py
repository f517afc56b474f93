# SPDX-License-Identifier: BSD-3-Clause
"""Runs a client in another language with the classes of server.py. Usage: host.py FOLDER ROUNDS, with its client.so."""
import ctypes
import gc
import os
import sys

import portolan

portolan.sidl("ft", library=os.path.join(sys.argv[1], "libft.so"))
import server  # noqa: E402 (its classes are those of this package)

client = ctypes.CDLL(os.path.join(sys.argv[1], "client.so"))
used = []
for rounds in 100, 100, int(sys.argv[2]):
    os.environ["ROUNDS"] = str(rounds)
    status = client.main(1, (ctypes.c_char_p * 2)(b"client", None))
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as f:
        used.append((int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"), sys.getrefcount(server.ft.Failure)))
    if status:
        sys.exit(status)
if used[2][0] - used[1][0] > 1 << 20 or used[2][1] != used[1][1]:
    sys.exit(print(f"FAILED: something is left of calls: {used}") or 1)
