"""A model as kernels know it: pairs, rows, and what goes along with its equations."""

from typing import NamedTuple

from chasles.core.arrays import Floats, Integers, System
from chasles.core.rank_monitor import RankMonitor
from chasles.core.recursion.floating import FloatingSystems
from chasles.core.recursion.groups import Loops, LoopWorkspace
from chasles.core.recursion.tree import Tree, TreeWorkspace
from chasles.core.stabilisation import ConstantRows, Stabiliser
from chasles.core.state_block import Layout


class AccuracyLimits(NamedTuple):
    """Beyond what a run is worth a word."""

    gaps: Floats  # (rows,) gap (m, rad) of every row of J; 0: any will do
    sizes: Floats  # (rows,) what a gap is large or small against: a lever (m), or 1 rad
    lengths: Floats  # (rows,) 1 for gaps in metres: far from the origin they are rounded more
    slow: float  # sizes per second below which nothing moves visibly
    still: float  # energy (J) below which nothing moves visibly
    places: Floats  # (n, 3) of the bodies as entered: heights are measured from there


class Equations(NamedTuple):
    """The part of a mechanism that its equations are solved with, for who has nothing else."""

    system: System
    tree: Tree
    tree_work: TreeWorkspace
    loops: Loops
    loop_work: LoopWorkspace


class Mechanism(NamedTuple):
    """Bodies on pairs of 0 to 6 dimensions, and rows for what no pair realises."""

    system: System  # forces, drivers and joints
    tree: Tree
    tree_work: TreeWorkspace
    monitor: RankMonitor  # of the rows
    accuracy: AccuracyLimits
    layout: Layout
    coordinates: Integers  # (m,) which coordinate a driver drives; -1 for joints, and for rows
    joint_wrench: Floats  # (n, 6) wrenches of the joints, where there are drivers
    efforts: Floats  # (v,) generalised forces there
    floating: FloatingSystems  # what floats
    loops: Loops
    loop_work: LoopWorkspace
    stabiliser: Stabiliser
    constant_rows: ConstantRows  # what spaces keep by constant rows
    placed: Floats  # (n, ROW) kinematics at the end of a step: the factor is that of its last stage
