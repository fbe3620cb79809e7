"""How a result was computed, and what a run that goes on from it needs."""

import json
import platform
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.tableaux import Tableau
from chasles.model import InvalidFile
from chasles.model.errors import short_repr


@cache
def versions() -> Mapping[str, str]:
    """What computes here.  Kept: looking them up takes longer than a step of a small model."""
    return MappingProxyType(
        {
            "chasles": version("chasles"),
            "numpy": np.__version__,
            "numba": version("numba"),
            "python": platform.python_version(),
        }
    )


@lru_cache(maxsize=32)
def coefficients(tableau: Tableau) -> Mapping[str, Any]:
    """Those of a method, for its runs."""
    kept: Mapping[str, Any] = frozen(tableau.as_dict())
    return kept


@dataclass(frozen=True, eq=False)
class Provenance(Mapping[str, Any]):
    """How a result was made.  It reads like a dict, too: ``provenance["method"]``, ``.items()``.

    acceleration      form of the acceleration constraints
    method            name of the method, with its tableau and order
    step, steps       length of a step in s (the mean, where tolerances chose them), and how many
                      were taken
    evaluations       how often the equations of motion were solved in the steps, or forces found
                      (RATTLie); 0: not counted
    iterations        of Newton's method, of a fixed point, or corrections of velocities, in methods
                      that have them
    factorisations    of matrices beside those of the evaluations: Newton's, or that of linearly
                      implicit methods
    until             s
    spaces            body -> space, in words
    solver            "recursion": one elimination of pairs and rows
    rows              "needed", or "all" joints between bodies on six-dimensional charts had rows
    kernel            "generic", or "traced": machine code made for this model, to the same bits
    stabilise         the stabiliser in words, and `stabilised`, the joints that it holds
    redundancy        which rows repeat others, in words
    singular          what was to be done at singular poses, and `singular_poses`, those met
    start             where the run began
    assembly          what was moved to close the joints, or "none"
    seconds_in_steps  computing time
    worst_gap         the widest gap of a joint along one of its rows, in words with its unit
    imbalance         the largest share of the energy exchanged that the balance missed
    removed           joint -> the largest opening, as a fraction of its reach or in rad, that a
                      projector kept a step from; of joints that charts keep; of cut
                      joints on subgroups the speed (m/s or rad/s) that was taken away
    warnings          what is suspect about the run
    versions          of everything that computed
    created           when, UTC
    others            what a file says beyond this
    """

    acceleration: str
    method: str
    step: float
    spaces: Mapping[str, str] = field(default_factory=dict)
    solver: str = "recursion"
    rows: str = "needed"
    kernel: str = "generic"
    stabilise: str = "none"
    stabilised: tuple[str, ...] = ()
    redundancy: str = "none"
    singular: str = "stop"
    singular_poses: tuple[tuple[float, str, str], ...] = ()
    start: str = "as entered"
    assembly: Mapping[str, Any] | str = "none"
    tableau: Mapping[str, Any] = field(default_factory=dict)
    order: int = 0
    steps: int = 0
    evaluations: int = 0
    iterations: int = 0
    factorisations: int = 0
    until: float = 0.0
    seconds_in_steps: float = 0.0
    worst_gap: str = "none"
    imbalance: float = 0.0
    removed: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    others: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in KNOWN:
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data: dicts, lists, words and numbers."""
        return {key: self[key] for key in self}

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """The provenance that `as_dict` gave, from a file."""
        if not isinstance(plain, Mapping):
            raise InvalidFile(
                f"provenance is {short_repr(plain)}, not a dict.", "Save the result again."
            )
        known = {name: plain[name] for name in KNOWN if name in plain}
        for name, kind in REQUIRED.items():
            if not isinstance(known.get(name), kind) or isinstance(known[name], bool):
                raise InvalidFile(
                    f"provenance: {name} must be a {WORDS[kind]}, got"
                    f" {short_repr(known.get(name))}.",
                    "Save the result again.",
                )
        return cls(**known, others={key: plain[key] for key in plain if key not in KNOWN})

    # --- as a mapping ---

    def __getitem__(self, key: str) -> Any:
        if key in KNOWN:
            return thawed(getattr(self, key))
        return thawed(self.others[key])

    def __iter__(self) -> Iterator[str]:
        yield from KNOWN
        yield from self.others

    def __len__(self) -> int:
        return len(KNOWN) + len(self.others)

    def __eq__(self, other: object) -> bool:
        return self.as_dict() == dict(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:  # read-only views are not pickled
        return Provenance.from_dict, (self.as_dict(),)


KNOWN = tuple(f.name for f in fields(Provenance) if f.name != "others")
#: Without these a result does not know what it is.
REQUIRED: dict[str, type] = {"acceleration": str, "method": str, "step": float}
WORDS = {str: "string", float: "number"}


def frozen(value: Any) -> Any:
    """Plain data that nobody changes."""
    if isinstance(value, MappingProxyType):  # made below
        return value
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    if isinstance(value, str | float | int) or not isinstance(value, Mapping):
        return value
    return MappingProxyType({key: frozen(entry) for key, entry in value.items()})


def thawed(value: Any) -> Any:
    """The same as fresh dicts and lists."""
    if isinstance(value, Mapping):
        return {key: thawed(entry) for key, entry in value.items()}
    return [thawed(entry) for entry in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state block after step `index` of the grid origin + step * k, and what inputs hold.

    Steps of other lengths have no grid: then the origin is where the run stands, and `index` is 0.

    block   (width,) see `core.state_block`
    inputs  (motors,) in the model's order
    events  (k, 2) times and rows of the singular poses met so far
    counted (3,) evaluations, iterations and factorisations so far
    pace    what a pace that chooses its steps knows (see `TolerancePace.memory`)
    watched what is known of the events of the run (see `EventWatch.memory`)
    """

    block: Floats
    origin: float
    step: float
    index: int
    inputs: Floats
    events: Floats
    counted: Floats = field(default_factory=lambda: np.zeros(3))
    pace: Floats = field(default_factory=lambda: np.zeros(0))
    watched: Floats = field(default_factory=lambda: np.zeros(0))

    def as_plain(self) -> tuple[dict[str, Any], Floats]:
        """Words for JSON, and all numbers in one array."""
        parts = [self.block, self.inputs, self.events.ravel(), self.counted]
        parts += [part for part in (self.pace, self.watched) if self.pace.size + self.watched.size]
        words = {
            "sizes": [part.size for part in parts],
            "origin": self.origin.hex(), "step": self.step.hex(), "index": self.index,
        }  # fmt: skip
        return words, np.concatenate(parts)

    @classmethod
    def from_plain(cls, words: Any, numbers: Floats) -> Self:
        block, inputs, events, *others = np.split(numbers, np.cumsum(words["sizes"])[:-1])
        origin, step = float.fromhex(words["origin"]), float.fromhex(words["step"])
        return cls(
            block.copy(), origin, step, int(words["index"]), inputs.copy(),
            events.reshape(-1, 2).copy(), *(part.copy() for part in others),
        )  # fmt: skip

    def as_text(self) -> str:
        """All of it as JSON, the numbers as their bytes in base 64."""
        words, numbers = self.as_plain()
        code = b64encode(numbers.astype("<f8").tobytes()).decode()
        return json.dumps({**words, "numbers": code})

    @classmethod
    def from_text(cls, text: str) -> Self:
        words = json.loads(text)
        return cls.from_plain(words, np.frombuffer(b64decode(words["numbers"]), "<f8"))

    @property
    def time(self) -> float:
        """s"""
        return self.origin + self.step * self.index
