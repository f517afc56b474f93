# SPDX-License-Identifier: BSD-3-Clause
"""Python's zlib module at work; what it makes goes to stdout, how often it was asked to stderr."""
import sys
import zlib

text = b"".join(b"line %d: the quick brown fox\n" % (i * i % 977) for i in range(20000))
asked = {"deflateEnd": 0, "inflateEnd": 0, "crc32": 0, "adler32": 0}

for level in range(10):
    packed = zlib.compress(text, level)
    asked["deflateEnd"] += 1
    assert zlib.decompress(packed) == text
    asked["inflateEnd"] += 1
    print(level, len(packed), zlib.crc32(packed), zlib.adler32(packed))
    asked["crc32"] += 1
    asked["adler32"] += 1

stream = zlib.compressobj(6, zlib.DEFLATED, -15)
pieces = b"".join(stream.compress(text[i : i + 1000]) for i in range(0, len(text), 1000)) + stream.flush()
del stream
asked["deflateEnd"] += 1
sums = 0
for i in range(0, len(pieces), 100):
    sums = zlib.crc32(pieces[i : i + 100], sums)
    asked["crc32"] += 1
print(len(pieces), sums)
try:
    zlib.decompress(b"this is no zlib stream")
except zlib.error as problem:
    print(problem)
    asked["inflateEnd"] += 1
for function, n in sorted(asked.items()):
    print(function, n, file=sys.stderr)
