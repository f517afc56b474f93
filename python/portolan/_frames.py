# SPDX-License-Identifier: BSD-3-Clause
"""Columns as a frame of pandas; without pandas a record array of NumPy; without NumPy a dictionary of lists."""
from __future__ import annotations

from typing import Any

Columns = dict[str, Any]


def numpy() -> Any:
    """The module, or None: it is not installed, or cannot be loaded."""
    try:
        import numpy as np
    except ImportError:
        return None
    return np


def pandas() -> Any:
    try:
        import pandas as pd  # type: ignore[import]
    except ImportError:
        return None
    return pd


def _list(column: Any) -> list[Any]:
    if isinstance(column, tuple):
        return [column[1][code] for code in memoryview(column[0])]
    return column if isinstance(column, list) else memoryview(column).tolist()


def _series(np: Any, pd: Any, column: Any) -> Any:
    if not isinstance(column, tuple):
        return column if isinstance(column, list) else np.asarray(column)
    codes = np.asarray(column[0])
    if pd:
        return pd.Categorical.from_codes(codes, column[1])
    return np.asarray(column[1] or [""], dtype=str)[codes]


def frame(columns: Columns) -> Any:
    """Numbers are not copied; names are categories, which need a number each."""
    np, pd = numpy(), pandas()
    if np is None:
        return {name: _list(column) for name, column in columns.items()}
    made = {name: _series(np, pd, column) for name, column in columns.items()}
    if pd:
        return pd.DataFrame(made, copy=False)
    return np.rec.fromarrays([np.asarray(column) for column in made.values()], names=list(made))


def integers(block: Any) -> Any:
    """A block of whole numbers as positions."""
    import array

    np = numpy()
    if np is not None:
        return np.asarray(block).astype("int32")
    return array.array("i", map(int, memoryview(block)))


def taken(of: list[Any], at: Any) -> Any:
    """The column of OF[i] for each position i of AT; as a pair of positions and names unless OF has numbers."""
    import array

    np = numpy()
    if all(isinstance(value, (int, float)) for value in of):
        return np.asarray(of)[at] if np is not None and of else [of[i] for i in at]
    texts = ["" if value is None else str(value) for value in of]
    names = list(dict.fromkeys(texts))
    code = [names.index(text) for text in texts]
    if np is not None:
        return np.asarray(code or [0], dtype="int32")[at], names
    return array.array("i", (code[i] for i in at)), names


def chosen(columns: list[Any], place: list[int], at: Any) -> Any:
    """In row r the value of column PLACE[AT[r]]; NaN where that is -1."""
    np = numpy()
    if np is not None:
        made = np.full(len(at), np.nan)
        of = np.asarray(place or [-1])[at]
        for k, column in enumerate(columns):
            made[of == k] = np.asarray(column)[of == k]
        return made
    views = [memoryview(column) for column in columns]
    return [views[place[i]][r] if place[i] >= 0 else float("nan") for r, i in enumerate(at)]


def by_trial(trial: Any, of: dict[int, Any]) -> Any:
    """The column of what each row's trial has."""
    ids, np = list(of), numpy()
    if np is not None:
        order = np.argsort(ids)
        at = order[np.searchsorted(np.asarray(ids)[order], np.asarray(trial))]
    else:
        place = {number: i for i, number in enumerate(ids)}
        at = [place[number] for number in memoryview(trial)]
    return taken([of[number] for number in ids], at)


def number(text: str) -> Any:
    """The number that a text is, or the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
