"""Types by their names.

NumPy's ArrayLike is a union of a dozen private types, which `help` would spell out for every
argument.  Type checkers see the union; whoever asks at run time sees the word.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ArrayLike", "Axis", "BodyAxes", "Coordinate", "Floats", "Frame", "Stabiliser", "ViewDirection",
]  # fmt: skip

Floats = NDArray[np.float64]
BodyAxes = Literal["body", "world"]
Frame = Literal["world", "body"]
Coordinate = Literal["auto", "angle", "displacement"]
Axis = Literal["x", "y", "z"]
#: From where a picture is taken: a plane, or (azimuth, elevation) in degrees.
ViewDirection = Literal["auto", "xy", "xz", "yz"] | tuple[float, float]
Stabiliser = Literal[
    "none", "projection", "baumgarte", "ggl",
    "projection of all joints", "baumgarte of all joints", "ggl of all joints",
]  # fmt: skip


class Word:
    """A type that is shown as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __or__(self, other: Any) -> "Word":
        return Word(f"{self.text} | {shown(other)}")

    def __ror__(self, other: Any) -> "Word":
        return Word(f"{shown(other)} | {self.text}")


def shown(other: Any) -> str:
    if other is None:
        return "None"
    return other.__name__ if isinstance(other, type) else str(other).replace("typing.", "")


if TYPE_CHECKING:
    from numpy.typing import ArrayLike
else:
    ArrayLike = Word("ArrayLike")
