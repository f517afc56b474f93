# SPDX-License-Identifier: BSD-3-Clause
"""A conversation with a program on a pseudo terminal.

terminal.py COMMAND... <STEPS: lines "send REGEX" of what is typed (escapes as in Python, - for
nothing) and what must then appear. Exits with the program's status; 99 when something else appears
or nothing does.
"""
import os
import pty
import re
import select
import sys
import time

LONGEST_S = 30  # for a program that hangs; nobody waits for it otherwise


def give_up(why, seen):
    print(f"{why}\nseen: {seen!r}")
    os._exit(99)


def await_text(fd, pattern, seen):
    end = time.monotonic() + LONGEST_S
    while not (found := re.search(pattern, seen, re.S)):
        if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
            give_up(f"waited in vain for {pattern!r}", seen)
        try:
            more = os.read(fd, 4096)
        except OSError:  # the other side is gone
            more = b""
        if not more:
            give_up(f"ended before {pattern!r}", seen)
        seen += more
    return seen[found.end():]


def main():
    steps = [line.rstrip("\n").split(" ", 1) for line in sys.stdin if line.strip()]
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], sys.argv[1:])
    seen = b""
    for sent, pattern in steps:
        if sent != "-":
            os.write(fd, sent.replace("_", " ").encode().decode("unicode_escape").encode())
        seen = await_text(fd, pattern.encode(), seen)
    _, status = os.waitpid(pid, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


main()
