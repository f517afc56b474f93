#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the calls within each room, and the table of docs/architecture.md, against tests/arrows.sh.

The symbols of the build's objects say which file calls which. Files that call each other, directly
or by way of others, stand in a ring: whoever changes one of them has to read all.

usage: arrows_calls.py SOURCE BUILD     tests (TAP)
       arrows_calls.py --write SOURCE   writes the last column of the table of docs/architecture.md
"""
import collections
import ctypes
import json
import os
import re
import subprocess
import sys

DOCUMENT = 'docs/architecture.md'
MOST_NAMED = 12  # a room that uses more than this many others uses "public headers"


def read_table(source, name):
    """The lines of the table NAME in arrows.sh: what stands before the colon, and the words after it."""
    with open(f'{source}/tests/arrows.sh', encoding='utf-8') as script:
        text = re.search(rf"^{name}='\n(.*?)^'", script.read(), re.M | re.S)[1]
    return {key: words.split() for key, words in (line.split(':') for line in text.splitlines())}


def room_of(path):
    return path.split('/')[0]


# ---- calls ----

def list_objects(source, build):
    """The source file of each object, without those of tests, benchmarks and examples."""
    files = {}
    with open(f'{build}/compile_commands.json', encoding='utf-8') as commands:
        for command in json.load(commands):
            path = os.path.realpath(os.path.join(command['directory'], command['file']))
            path = os.path.relpath(path, os.path.realpath(source))
            made = os.path.join(build, command['output'])
            if path.endswith('.c') and os.path.exists(made) and not re.search(
                    r'(^|/)(\.\.|tests?|bench|examples|build[^/]*)/', path):
                files[made] = path
    return files


def read_symbols(files):
    """Who defines the functions of each room, and the names that each file needs."""
    defined = collections.defaultdict(set)
    needed = collections.defaultdict(set)
    listing = subprocess.run(['nm', '-A', *files], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        made, symbol = line.split(':', 1)
        kind, name = symbol.split()[-2:]
        if kind == 'U':
            needed[files[made]].add(name)
        elif kind in 'TW':
            defined[room_of(files[made]), name].add(files[made])
    return defined, needed


def list_calls(defined, needed):
    """The files of the same room that each file calls. Names of the C library are left out: who
    calls malloc() does not mean the file that stands in for it in some programs."""
    library = ctypes.CDLL(None)
    calls = collections.defaultdict(set)
    for path, names in needed.items():
        for name in names:
            where = defined.get((room_of(path), name), ())
            if len(where) == 1 and not hasattr(library, name):
                calls[path] |= where - {path}
    return calls


def reach(calls, start):
    seen, todo = set(), [start]
    while todo:
        for path in calls.get(todo.pop(), ()):
            if path not in seen:
                seen.add(path)
                todo.append(path)
    return seen


def find_rings(calls):
    """The files that reach themselves, and what else stands in the ring of each."""
    reached = {path: reach(calls, path) for path in calls}
    return {path: sorted(other for other in seen if path in reached.get(other, ()))
            for path, seen in reached.items() if path in seen}


def check_calls(allowed, calls, rings):
    """One line per folder: True if it holds, and what it says."""
    limits = {key.split()[0]: int(key.split()[1]) for key in allowed}
    arrows = {key.split()[0]: set(words) for key, words in allowed.items()}
    folders = set(limits) | {os.path.dirname(path) for path in calls}
    for folder in sorted(folders):
        bad = [f'{path} calls {other}' for path in sorted(calls) if os.path.dirname(path) == folder
               for other in sorted(calls[path])
               if os.path.dirname(other) not in arrows.get(folder, set()) | {folder}]
        bad += [f'{folder} and {other} may call each other'
                for other in arrows.get(folder, ()) if folder in reach(arrows, other)]
        inside = [path for path in sorted(rings) if os.path.dirname(path) == folder]
        limit = limits.get(folder, 0)
        if len(inside) > limit:
            bad += [f'{path} stands in a ring with {" ".join(rings[path])}' for path in inside]
        note = '' if len(inside) >= limit else f' # fewer than {limit}: lower it in tests/arrows.sh'
        if bad or folder in limits:
            yield not bad, f'{folder}: {len(inside)} files in rings{note}', bad


# ---- the table of the document ----

def find_owners(source):
    """The room of each public header."""
    owners = {}
    for at, _, names in os.walk(source):
        if os.path.basename(at) == 'portolan' and '/build' not in at:
            owners |= {name[:-2]: os.path.relpath(os.path.dirname(at), source)
                       for name in names if name.endswith('.h')}
    return owners


def may_use(folder, headers, calls, owners):
    row = folder
    while row and row not in headers:
        row = os.path.dirname(row)
    used = {owners[header] for header in headers.get(row, ())}
    used |= {other for key, words in calls.items() if key.split()[0] == folder for other in words}
    used = sorted(other for other in used if other != folder and not folder.startswith(other + '/portolan'))
    if len(used) > MOST_NAMED:
        return 'public headers'
    return ', '.join(used) or '–'


def write_table(source):
    """The document with the last column of its first table made anew, and the document as it is."""
    headers, calls = read_table(source, 'table'), read_table(source, 'calls')
    owners = find_owners(source)
    with open(f'{source}/{DOCUMENT}', encoding='utf-8') as file:
        text = file.read()
    return re.sub(r'^(\| `([a-z_/]+?)/` \|.*\|)[^|\n]*\|$',
                  lambda row: f'{row[1]} {may_use(row[2], headers, calls, owners)} |', text, flags=re.M), text


def main():
    if sys.argv[1] == '--write':
        made, _ = write_table(sys.argv[2])
        with open(f'{sys.argv[2]}/{DOCUMENT}', 'w', encoding='utf-8') as file:
            file.write(made)
        return
    source, build = sys.argv[1:]
    calls = list_calls(*read_symbols(list_objects(source, build)))
    lines = list(check_calls(read_table(source, 'calls'), calls, find_rings(calls)))
    made, text = write_table(source)
    wrong = [f'make it anew: tests/arrows_calls.py --write .', *set(made.splitlines()) - set(text.splitlines())]
    lines.append((made == text, f'the table of {DOCUMENT} says what tests/arrows.sh does',
                  [] if made == text else wrong))
    print(f'1..{len(lines)}')
    for number, (holds, what, bad) in enumerate(lines, 1):
        print(f'{"ok" if holds else "not ok"} {number} - {what}')
        for line in bad:
            print(f'# {line}')


main()
