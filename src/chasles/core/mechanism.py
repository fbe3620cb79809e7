"""A model as kernels know it: pairs, rows, and what goes along with its equations."""

from typing import NamedTuple

from chasles.core.arrays import Floats, Integers, System
from chasles.core.recursion.flight import Flight
from chasles.core.recursion.groups import LoopRoom, Loops
from chasles.core.recursion.kept import KeptRows
from chasles.core.recursion.tree import Recursion, Tree
from chasles.core.stabilisation.record import Stabiliser
from chasles.core.state_block import Layout
from chasles.core.watch import Watch


class Promises(NamedTuple):
    """Beyond what a run is worth a word."""

    gaps: Floats  # (rows,) gap (m, rad) of every row of J; 0: any will do
    sizes: Floats  # (rows,) what a gap is large or small against: a lever (m), or 1 rad
    lengths: Floats  # (rows,) 1 for gaps in metres: far from the origin they are rounded more
    slow: float  # sizes per second below which nothing moves visibly
    still: float  # energy (J) below which nothing moves visibly
    places: Floats  # (n, 3) of the bodies as entered: heights are measured from there


class Mechanism(NamedTuple):
    """Bodies on pairs of 0 to 6 dimensions, and rows for what no pair realises."""

    system: System  # forces, drivers and joints
    tree: Tree
    memory: Recursion
    watch: Watch  # of the rows
    promises: Promises
    layout: Layout
    coordinates: Integers  # (m,) which coordinate a driver drives; -1 for joints, and for rows
    felt: Floats  # (n, 6) wrenches of the joints, where there are drivers
    efforts: Floats  # (v,) generalised forces there
    flight: Flight  # what floats
    loops: Loops
    room: LoopRoom
    stabiliser: Stabiliser
    kept: KeptRows  # what spaces keep by constant rows
    placed: Floats  # (n, ROW) kinematics at the end of a step: the factor is that of its last stage
