"""Pairs: which joints leave a group of relative motions free, told from what they lock.

There are twelve classes of connected subgroups of SE(3) (Hervé 1978).  But for the whole group,
which is no joint, each is a pair here, so a joint that locks some of the motions of its frame is
one of these, or leaves no group free.
"""

from functools import cache

#: Relative motions in a joint's axes: turns and shifts.
MOTIONS = ("wx", "wy", "wz", "ux", "uy", "uz")
#: By what is left free; "revolute" and "planar" may have a pitch, and advance along z as they turn.
PAIRS = {
    (): "fixed",
    ("uz",): "prismatic",
    ("ux", "uy"): "flat",
    ("ux", "uy", "uz"): "Cartesian",
    ("wz",): "revolute",
    ("wz", "uz"): "cylindrical",
    ("wz", "ux", "uy"): "planar",
    ("wz", "ux", "uy", "uz"): "Schoenflies",
    ("wx", "wy", "wz"): "spherical",
}
#: Pairs that mean the same wherever their point is.
ANY_POINT = ("prismatic", "planar", "fixed", "Schoenflies", "flat", "Cartesian")
#: Coordinates that a pair has, in the order of its velocities: what users name, drive and couple.
COORDINATES_OF = {
    "revolute": ("angle",),
    "helical": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("angle", "displacement"),
}
#: Those that may advance along z as they turn.
SCREWED = ("revolute", "planar")


@cache
def pair_of_rows(locked: tuple[str, ...], screwed: bool = False) -> str | None:
    """The pair of a joint that locks these motions; None if the others form no group."""
    pair = PAIRS.get(tuple(motion for motion in MOTIONS if motion not in locked))
    return "helical" if pair == "revolute" and screwed else pair
