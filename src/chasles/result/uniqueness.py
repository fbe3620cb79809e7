r"""Which components of the reactions are determined where constraints are redundant.

The multipliers are determined up to the null space of $J^T$: with $J^T N = 0$, both $\lambda$ and
$\lambda + N c$ move the bodies alike.  A component of a reaction is a linear function $w^T\lambda$
of its joint's multipliers; it is unique if and only if $w^T N = 0$ (M. Wojtyra, Joint reaction
forces in multibody systems with redundant constraints, Multibody Syst. Dyn. 14, 2005).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from chasles.build.start.free_bodies import terms_at
from chasles.build.start.redundancy import DEPENDENT, RANK_LIMIT, all_rows, equilibrated
from chasles.build.system.build import Setup, real_rows
from chasles.core.arrays import POSE_X, Floats, Integers, row_span
from chasles.model import InvalidModel, UnknownName
from chasles.model.tables import Shown, Table
from chasles.result.reactions import reaction

COMPONENTS = ("force x", "force y", "force z", "torque x", "torque y", "torque z")
UNIQUE, SHARED, NONE = "unique", "shared", "-"


@dataclass(frozen=True)
class UniqueReactions(Shown, Mapping[str, dict[str, str]]):
    """Joint -> component of its reaction in the joint's frame -> "unique", "shared" or "-".

    Components are those of `reaction(joint).in_joint_frame`; z is the joint's axis.  A "shared"
    one depends on what is not in a model of rigid bodies: the minimum-norm value is reported, or
    what a method of index 2 or 3 found; in models with couplings or bodies without mass, joints
    that close loops may have the whole load, or none of it.  "-" is a component that the joint
    cannot transmit: zero, whatever the multipliers.

    >>> import chasles as ch
    >>> door = ch.Body.box("door", (1.0, 0.05, 2.0), mass=30.0, position=(0.5, 0, 0))
    >>> pins = [ch.Spherical(name, ch.GROUND, door, (0, 0, z))
    ...         for name, z in (("upper", 0.8), ("lower", -0.8))]
    >>> result = ch.simulate(ch.Model([door], pins), until=0.01, step=1e-3)
    >>> result.unique_reactions.of("upper")
    ('force x', 'force y')
    """

    table: dict[str, dict[str, str]]

    def __getitem__(self, joint: str) -> dict[str, str]:
        return self.table[UnknownName.check("joint", joint, self.table)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def of(self, joint: str) -> tuple[str, ...]:
        """The components of a joint's reaction that are unique and not always zero."""
        return tuple(name for name, found in self[joint].items() if found == UNIQUE)

    @property
    def all_unique(self) -> bool:
        return all(found != SHARED for row in self.table.values() for found in row.values())

    def _parts(self) -> list[str | Table]:
        rows = [
            (joint, *row.values())
            for joint, row in self.table.items()
            if set(row.values()) != {NONE}  # a coupling pushes along coordinates
        ]
        return [
            Table(("joint", *COMPONENTS), rows, left=1 + len(COMPONENTS)),
            "In the axes of each joint; z is the axis of the joint.  unique: determined by the"
            " motion.  shared: not unique (the minimum norm is reported; beside couplings and"
            " bodies without mass, and by methods of index 2 and 3, another share).  -: not"
            " transmitted.",
        ]


def unique_reactions(setup: Setup, absolute: Floats) -> UniqueReactions:
    """Of all joints and drivers, at an absolute state (n, 18)."""
    found, count = terms_at(setup, absolute), len(real_rows(setup.system))
    if count > RANK_LIMIT:
        raise InvalidModel(
            f"which reactions are unique takes the null space of {count} constraint"
            f" rows, and at most {RANK_LIMIT} are decomposed.",
            "Ask for a part of the mechanism; result.redundancy names the joints that share.",
        )
    jacobian, divided = equilibrated(setup, found.jacobian, absolute)
    null = null_space(jacobian, all_rows(setup))
    return UniqueReactions({
        joint: components_of(setup, joint, absolute, found.jacobian, divided, null)
        for joint in setup.joint_index
    })  # fmt: skip


def null_space(jacobian: Floats, rows: Integers) -> Floats:
    """N (padded rows, k) with J^T N = 0, orthonormal."""
    u, s, _ = np.linalg.svd(jacobian[rows])
    rank = int(np.sum(s > DEPENDENT * s.max(initial=0.0)))
    null = np.zeros((len(jacobian), len(rows) - rank))
    null[rows] = u[:, rank:]
    return null


def components_of(
    setup: Setup, joint: str, absolute: Floats, entries: Floats, divided: Floats, null: Floats
) -> dict[str, str]:
    """What becomes of each component of one joint's reaction."""
    index = setup.joint_index[joint]
    span = np.arange(setup.system.row_count)[row_span(setup.system, index)]
    wrenches = np.zeros((len(span), setup.system.joint_count, entries.shape[1]))
    wrenches[:, index] = entries[span] / divided[span, None]  # of multipliers of 1, one by one
    still = np.broadcast_to(absolute, (len(span), *absolute.shape))
    exerted = reaction(setup, joint, still, wrenches)
    per_row = np.hstack(exerted.in_joint_frame).T
    scale = np.repeat(np.abs(per_row).reshape(2, -1).max(axis=1, initial=0.0), 3)
    # A torque about the joint's point is a difference of lever times force: it rounds with those.
    lever = np.abs(exerted.point[:, None] - absolute[None, :, POSE_X : POSE_X + 3]).max(initial=0.0)
    scale[3:] = np.maximum(scale[3:], lever * scale[:3])
    transmitted = np.abs(per_row).max(axis=1, initial=0.0) > DEPENDENT * scale
    shared = np.abs(per_row @ null[span]).max(axis=1, initial=0.0) > DEPENDENT * scale
    return {
        name: NONE if not transmitted[k] else SHARED if shared[k] else UNIQUE
        for k, name in enumerate(COMPONENTS)
    }
