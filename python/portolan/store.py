# SPDX-License-Identifier: BSD-3-Clause
"""The experiment store as plain frames, and the call tree of a trial."""
from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Optional, Sequence, Union

from . import _frames, _portolan

Trials = Union[None, int, str, Iterable[int]]


class Store:
    """An experiment store, open for reading; `with` closes it. One thread at a time.

    TRIALS is always one number, several, a text as `portolan trials` takes it ("label:base*", "ranks=4"), or
    None for all. Times are nanoseconds.
    """

    def __init__(self, file: Union[str, "os.PathLike[str]"]) -> None:
        self._store = _portolan.Store(os.fspath(file))

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, trials: Trials) -> list[dict[str, Any]]:
        if trials is None or isinstance(trials, str):
            return list(self._store.trials(trials))
        wanted = [trials] if isinstance(trials, int) else list(trials)
        return list(self._store.trials(",".join(map(str, wanted)))) if wanted else []

    def _ids(self, trials: Trials) -> Optional[tuple[int, ...]]:
        return None if trials is None else tuple(t["trial"] for t in self._read(trials))

    def trials(self, trials: Trials = None) -> Any:
        """One row a trial: what it was, its parameters ("driver.n"), classes by instance, and metadata."""
        rows = [_flat(t) for t in self._read(trials)]
        names = dict.fromkeys(name for row in rows for name in row)
        return _frames.frame({name: [row.get(name) for row in rows] for name in names})

    def samples(self, columns: Optional[Sequence[str]] = None, trials: Trials = None, rank: Optional[int] = None,
                first_step: Optional[int] = None, last_step: Optional[int] = None, partial: bool = False) -> Any:
        """One row for each call path, context, step and thread; only COLUMNS are read, all without them.

        In addition to columns of samples these may be any of trials(): "ranks", "driver.n", "host".
        """
        ids = self._ids(trials)
        own = None if columns is None else tuple(c for c in columns if _is_of_samples(c))
        others = [] if columns is None else [c for c in columns if not _is_of_samples(c)]
        of = {t["trial"]: _flat(t) for t in self._read(trials)} if others else {}
        unknown = [c for c in others if not any(c in row for row in of.values())]
        asked = own if not others or own is None else tuple(dict.fromkeys((*own, "trial", *unknown)))
        table = self._store.columns(asked, ids, rank, first_step, last_step, partial)
        for name in others:
            table[name] = _frames.by_trial(table["trial"], {t: row.get(name) for t, row in of.items()})
        return _frames.frame(table if columns is None else {name: table[name] for name in columns})

    def rows(self, trial: int) -> Any:
        """One row for each single call, of ports whose calls have rows, by rank, thread and start."""
        numbers, paths = self._store.calls(trial)
        path = _frames.integers(numbers.pop("path"))
        contexts = [numbers.pop(f"context{k}") for k in range(1, 5)]
        names = [paths.pop(f"context{k}") for k in range(1, 5)]
        table: _frames.Columns = {name: _frames.taken(of, path) for name, of in paths.items()}
        table.update(numbers)
        for name in dict.fromkeys(n for of in names for n in of if n):
            place = [next((k for k in range(4) if names[k][p] == name), -1) for p in range(len(names[0]))]
            table["context." + name] = _frames.chosen(contexts, place, path)
        return _frames.frame(table)

    def _reasons(self, trials: Trials, which: int) -> Any:
        tables: tuple[dict[str, Any], ...] = ({}, {}, {})
        for t in self._read(trials):
            self._store.reasons(t["trial"], *tables)
        return _frames.frame(tables[which])

    def decisions(self, trials: Trials = None) -> Any:
        """What was decided in the runs: at which step, what was changed, why, with which outcome."""
        return self._reasons(trials, 0)

    def alternatives(self, trials: Trials = None) -> Any:
        """What each implementation was expected to cost at each decision."""
        return self._reasons(trials, 1)

    def expectations(self, trials: Trials = None) -> Any:
        """Expected and measured times of steps."""
        return self._reasons(trials, 2)

    def tree(self, trial: int) -> "Tree":
        """The call tree of a trial, with statistics over its ranks."""
        return Tree(self._store.summary(trial))

    def pivot(self, value: str = "exclusive_ns", by: str = "trial", trials: Trials = None, over: str = "sum") -> Any:
        """A table of VALUE, with a row for each call path and a column for each value that trials have of BY.

        Runs are joined by the text of the call path: what one lacks is NaN. Needs pandas.
        """
        samples = self.samples(["path", value, by], trials)
        return samples.pivot_table(index="path", columns=by, values=value, aggfunc=over, observed=True)


_OF_SAMPLES = frozenset(
    "trial step rank thread path user uses instance port implementation port_type method calls timed_calls "
    "failed_calls subroutines inclusive_ns exclusive_ns mpi_ns min_ns max_ns sum_squares_ns2 quality binned".split())


def _is_of_samples(column: str) -> bool:
    return column in _OF_SAMPLES or column.startswith(("context.", "counter."))


def _flat(trial: dict[str, Any]) -> dict[str, Any]:
    row = {k: v for k, v in trial.items() if not isinstance(v, dict)}
    for kind in ("parameters", "implementations", "metadata"):
        for name, text in trial[kind].items():
            row.setdefault(name, _frames.number(text))
    return row


class Tree:
    """A call tree; `frame` is the same as a table, whose rows are its nodes: filtered together.

    Columns such as "exclusive" are sums over ranks in ns; "exclusive_max_rank" names the rank with the most.
    """

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns["parent"])

    @property
    def frame(self) -> Any:
        return _frames.frame(dict(self._columns, depth=[self._depth(i) for i in range(len(self))]))

    def row(self, i: int) -> dict[str, Any]:
        return {name: column[i] for name, column in self._columns.items()}

    def filter(self, keep: Callable[[dict[str, Any]], bool]) -> "Tree":
        """The nodes for whose row KEEP is true, with their callers."""
        kept: set[int] = set()
        for i in range(len(self)):
            if keep(self.row(i)):
                while i >= 0 and i not in kept:
                    kept.add(i)
                    i = self._columns["parent"][i]
        order = sorted(kept)
        place = {old: new for new, old in enumerate(order)}
        columns = {name: [column[i] for i in order] for name, column in self._columns.items()}
        columns["parent"] = [place.get(parent, -1) for parent in columns["parent"]]
        return Tree(columns)

    def outliers(self, value: str = "exclusive", factor: float = 1.2) -> list[dict[str, Any]]:
        """Nodes whose slowest rank takes more than FACTOR times the mean, the largest excess first."""
        rows = [self.row(i) for i in range(len(self))]
        found = [r for r in rows if r[value + "_max"] > factor * r[value + "_mean"] > 0]
        return sorted(found, key=lambda r: float(r[value + "_mean"] - r[value + "_max"]))

    def _depth(self, i: int) -> int:
        parent = self._columns["parent"][i]
        return 0 if parent < 0 else 1 + self._depth(parent)

    def _lines(self) -> list[tuple[str, str]]:
        c = self._columns
        return [(f"{c['inclusive'][i] / 1e6:12.3f} ms {c['calls'][i]:10.0f} calls  ",
                 "  " * self._depth(i) + f"{c['instance'][i]}.{c['method'][i]} [{c['implementation'][i]}]")
                for i in self._order(-1)]

    def _order(self, parent: int) -> list[int]:
        children = [i for i, p in enumerate(self._columns["parent"]) if p == parent]
        return [k for i in children for k in (i, *self._order(i))]

    def __str__(self) -> str:
        return "\n".join(numbers + name for numbers, name in self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        return "<pre>" + html.escape(str(self)) + "</pre>"
