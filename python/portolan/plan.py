# SPDX-License-Identifier: BSD-3-Clause
"""The plan of an assembly: what to choose, how long it takes, and by which models."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Union

from . import _frames, _portolan
from .assembly import Assembly, File, text_of


class Record(dict):  # type: ignore[type-arg]
    """A dictionary whose keys are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no '{name}'; there are {', '.join(map(str, self))}") from None


class Choice(Record):
    """What `portolan optimize --json` says of the choice; str() is what it prints without --json."""

    @property
    def classes(self) -> dict[str, str]:
        """The chosen class of each instance that has alternatives."""
        return {v.instance: v.chosen for v in self.variables}

    def __str__(self) -> str:
        return str(self["text"])


class Model:
    """A model as a function of its parameters, which may be numbers or arrays: m(n=[10, 100]).

    `path`, `implementation`, `quantity` and more, if a plan has it, are attributes, as in
    `portolan model --json`.
    """

    def __init__(self, model: Any, info: Optional[Record] = None) -> None:
        self._model, self.info = model, info or Record()

    @classmethod
    def read(cls, file: File) -> "Model":
        """A model of a file, portolan-model(5)."""
        import os

        with open(file, encoding="utf-8") as f:
            return cls(_portolan.Model.read(f.read(), os.fspath(file)))

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "info"), name)

    @property
    def formula(self) -> str:
        return str(self._model.formula)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """The measured range of each parameter, outside of which the model only extrapolates."""
        return {name: (least, most) for name, least, most in self._model.parameters}

    @property
    def error(self) -> Record:
        """family, rows, points, rms, max, leave_one_out; `relative`: they are parts of the value."""
        return Record(self._model.summary)

    def write(self, as_c: bool = False) -> str:
        """The model as XML, or as a function in C."""
        return str(self._model.write(as_c))

    def _arguments(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        names = list(self.range)
        missing = [n for n in names[len(given):] if n not in named]
        unknown = [n for n in named if n not in names[len(given):]]
        if missing or unknown or len(given) > len(names):
            raise TypeError(f"the model needs {', '.join(names) or 'no parameters'}; "
                            f"missing: {missing}, not its own: {unknown}, given in order: {len(given)}")
        return [*given, *(named[n] for n in names[len(given):])]

    def predict(self, *given: Any, **named: Any) -> Record:
        """value, low and high (the interval), and `octaves` outside the range: 0 is inside."""
        import array

        arguments = self._arguments(given, named)
        np = _frames.numpy()
        if np is not None:
            columns = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in arguments)) if arguments else []
            shape = columns[0].shape if columns else ()
            flat = tuple(np.ascontiguousarray(c).ravel() for c in columns)
            outputs = tuple(np.empty(int(np.prod(shape))) for _ in range(4))
            self._model.predict(flat, outputs, outputs[0].size)
            made = [o.reshape(shape) if shape else float(o[0]) for o in outputs]
        else:
            lengths = {len(a) for a in arguments if hasattr(a, "__len__")}
            if len(lengths) > 1:
                raise ValueError(f"sequences of different lengths: {sorted(lengths)}")
            n = lengths.pop() if lengths else 1
            texts = tuple(array.array("d", a if hasattr(a, "__len__") else [a] * n) for a in arguments)
            arrays = tuple(array.array("d", bytes(8 * n)) for _ in range(4))
            self._model.predict(texts, arrays, n)
            plain = not any(hasattr(a, "__len__") for a in arguments)
            made = [a[0] if plain else list(a) for a in arrays]
        return Record(zip(("value", "low", "high", "octaves"), made))

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.predict(*given, **named).value

    def __repr__(self) -> str:
        info = self.info
        of = f"{info.path} [{info.implementation}] {info.quantity}: " if info else ""
        return f"<Model {of}{self.formula}>"


class Plan:
    """What the stored trials say of an assembly.

    STORE: instead of the Mastermind's. RANKS: of the runs, as many as explored last if 0. ANY_MACHINE: trials
    of other machines and builds count, too. CONTEXTS: values that calls will have. Each method takes values of
    parameters, as Assembly.set() does: choose(n=128).
    """

    def __init__(self, assembly: Union[File, Assembly], store: Union[None, File, Any] = None, ranks: int = 0,
                 any_machine: bool = False, contexts: Optional[Mapping[str, float]] = None,
                 path: Optional[str] = None) -> None:
        given = assembly if isinstance(assembly, Assembly) else Assembly(assembly, path)
        self._file, self._path = given.file, given.path
        self._store = given.store if store is None else store
        self._before = given.parameters if isinstance(assembly, Assembly) else {}
        self._ranks, self._here = ranks, not any_machine
        self._contexts = dict(contexts or {})
        self._first: Any = None
        self._plans: dict[Any, Any] = {}

    def _at(self, select: Mapping[str, str], values: Mapping[str, Any]) -> Any:
        texts = {name: text_of(value) for name, value in values.items()}
        key = (tuple(sorted(select.items())), tuple(sorted(texts.items())))
        if key not in self._plans:
            a = Assembly(self._file, self._path, self._store).set(self._before).set(texts).select(**select)
            a.check()
            made = _portolan.Plan(a._assembly, self._contexts, self._ranks, self._here, self._first)
            self._first = self._first or made
            self._plans[key] = made
        return self._plans[key]

    @staticmethod
    def _json(text: str) -> Any:
        import json

        return json.loads(text, object_hook=Record)

    def choose(self, parameters: Mapping[str, Any] = {}, **values: Any) -> Choice:
        """The best classes, how sure that is, and why; the verdict may be "cannot tell"."""
        plan = self._at({}, {**parameters, **values})
        document = self._json(plan.report("choice json"))
        return Choice(document.choice, assembly=document.assembly, parameters=document.parameters,
                      ranks=document.ranks, text=plan.report("choice"))

    def predict(self, select: Mapping[str, str] = {}, parameters: Mapping[str, Any] = {}, **values: Any) -> Record:
        """The time of a run with SELECT ({"solver": "heat.Cholmod"}), else with the classes as written."""
        found = self._at(select, {**parameters, **values}).predict()
        return Record({name: one[0] if isinstance(one, list) else one for name, one in found.items()})

    def models(self, parameters: Mapping[str, Any] = {}, **values: Any) -> list[Model]:
        plan = self._at({}, {**parameters, **values})
        infos = self._json(plan.report("models json")).models
        return [Model(model, info) for model, info in zip(plan.models(), infos)]

    def why(self, parameters: Mapping[str, Any] = {}, **values: Any) -> list[str]:
        """Sentences: reasons of the choice, the most important first, then what was left out of the data."""
        plan = self._at({}, {**parameters, **values})
        return [*self._json(plan.report("choice json")).choice.reasons, *plan.notes()]

    def call_graph(self, parameters: Mapping[str, Any] = {}, **values: Any) -> list[Record]:
        """Call paths with their share, and whether they count for the choice."""
        nodes: list[Record] = self._json(self._at({}, {**parameters, **values}).report("call graph json")).nodes
        return nodes
