"""What a benchmark's picture shows, as data; how it is drawn is the view's business."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from chasles.core.arrays import Floats
from chasles.result.result import Result

Named = Sequence[tuple[str, Floats]]


@dataclass(frozen=True)
class Drawing:
    """The mechanism at some instants on the left, curves over time on the right.

    instants  s, at which the mechanism is drawn; the last one in full ink
    plane     what is seen: "xy", "xz", "yz", or the view from above a corner: "corner" with z
              up, "corner, y up"
    curves    the curves people publish: (name, values (T,)) of a result
    title     of the curves
    label     of their axis, with the unit
    cropped   left, right, bottom and top of what is shown, m; None shows all of it
    masses    point masses to draw: name of the body -> where it is at the start, m
    traces    paths of points to draw: (name, points in the world (T, 3)) of a result
    """

    instants: tuple[float, ...]
    curves: Callable[[Result], Named]
    title: str
    label: str
    plane: str = "corner"
    cropped: tuple[float, float, float, float] | None = None
    masses: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    traces: Callable[[Result], Named] = lambda result: ()
